// What a block does with one set of questions.

// The bytes that the lists take, and where each is; `memory` may be null.
SURVTREE_FN u64 lay_out(const Arguments& a, unsigned char* memory, bool has_rows, Lists* l) {
  const u64 n_cells = 1ull << a.level, width = words_of_questions(a);
  u64 at = 0;
  const u64 wider = a.n_columns > width ? a.n_columns : width;
  if (l != nullptr) l->counts = (u32*)(memory + at);
  at += 4 * (u64)kMostCounts;
  if (l != nullptr) l->yes_set = (u32*)(memory + at);
  at += 4 * n_cells * width;
  if (l != nullptr) l->no_set = (u32*)(memory + at);
  at += 4 * n_cells * wider;
  if (l != nullptr) l->lanes = (u16*)(memory + at);
  at = (at + 2 * n_cells * a.n_questions + 15) / 16 * 16;
  if (has_rows && l != nullptr) {
    l->rows = (Row*)(memory + at);
    l->numbers = (u32*)(memory + at + sizeof(Row) * a.n_rows);
    l->answers = l->numbers + a.n_rows;
  }
  if (has_rows) at += (sizeof(Row) + 4 + 4 * a.n_words) * a.n_rows;
  return (at + 15) / 16 * 16;
}

SURVTREE_FN void lay_out_rows(const Arguments& a, unsigned char* memory, Lists& l) {
  l.rows = (Row*)memory;
  l.numbers = (u32*)(memory + sizeof(Row) * a.n_rows);
  l.answers = l.numbers + a.n_rows;
}

SURVTREE_FN void clear(const Arguments& a, Team t, u64 set, Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level, width = words_of_questions(a);
  for (u32 c = t.rank; c < n_cells; c += t.size) {
    cells.rows[c] = cells.events[c] = 0;
    cells.best[c] = kInfinity;
  }
  for (u32 k = t.rank; k < n_cells * width; k += t.size) l.yes_set[k] = 0;
  const u32 n = n_cells * (u32)(a.n_columns > width ? a.n_columns : width);
  for (u32 k = t.rank; k < n; k += t.size) l.no_set[k] = 0;
  if (t.rank == 0) find_set(a, set, cells.questions);
}

SURVTREE_FN void make_rows(const Arguments& a, Team t, const Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level;
  for (u32 at = t.rank; at < a.n_rows; at += t.size) {
    const u32 c = cell_of_place(cells, cells.begin, n_cells, at);
    make_row(a, l.numbers, at, cells.begin[c + 1], l.rows[at]);
  }
}

// One lane more than there are questions: all rows as one leaf.
SURVTREE_FN void place_items(const Arguments& a, Cells& cells) {
  cells.item_begin[0] = 0;
  for (u32 c = 0; c < 1u << a.level; ++c) {
    const u32 n = is_leaf(a, cells.rows[c], cells.events[c]) ? (cells.n_lanes[c] + 32) / 32 : 0;
    cells.item_begin[c + 1] = cells.item_begin[c] + n;
  }
}

// What a split on this question costs, or a leaf; infinite if a side is too small.
SURVTREE_FN double cost_of(const Arguments& a, const Lists& l, u32 begin, u32 n, u32 question) {
  const u32* answers = l.answers + (u64)begin * a.n_words;
  const u32 stride = (u32)a.n_words;
  const Row* rows = l.rows + begin;
  Losses found;
#ifdef SURVTREE_CODES
  const u16* codes = (const u16*)answers;
  const u32 limit = question == kNobody ? 0 : a.cut[question] + 1;
  if (question != kNobody) codes += a.column[question];
  found = losses_of(a, rows, n, [=](u32 i) { return codes[(u64)i * 2 * stride] < limit; });
#else
  const u32 mask = question == kNobody ? 0 : 1u << question % 32;
  if (question != kNobody) answers += question / 32;
  found = losses_of(a, rows, n, [=](u32 i) { return (answers[(u64)i * stride] & mask) != 0; });
#endif
  if (question == kNobody) return found.no + a.penalty;
  const bool fits = is_leaf(a, found.no_rows, found.no_events) &&
                    is_leaf(a, found.yes_rows, found.yes_events);
  return fits ? (found.no + a.penalty) + (found.yes + a.penalty) : double_of(kInfinity);
}

SURVTREE_FN void pass_lanes(const Arguments& a, Team t, Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level, n_items = cells.item_begin[n_cells];
  for (u32 k = t.rank; k < 32 * n_items; k += t.size) {
    const u32 c = cell_of_place(cells, cells.item_begin, n_cells, k / 32);
    const u32 lane = k - 32 * cells.item_begin[c], n_lanes = cells.n_lanes[c];
    if (lane > n_lanes) continue;
    const u32 question = lane < n_lanes ? l.lanes[(u64)c * a.n_questions + lane] : kNobody;
    const u32 begin = cells.begin[c];
    const u64 cost = bits_of(cost_of(a, l, begin, cells.begin[c + 1] - begin, question));
    if (a.mode == kLanes) a.values[question == kNobody ? a.n_questions : question] = cost;
    lower(cells.best + c, cost);
  }
}

SURVTREE_FN void do_set(const Arguments& a, Team t, u64 set, Cells& cells, const Lists& l) {
  clear(a, t, set, cells, l);
  SURVTREE_SYNC();
  count_rows(a, t, cells, l);
  SURVTREE_SYNC();
  place_in_cells(a, t, cells, l);
  SURVTREE_SYNC();
  if (t.rank == 0) place_cells(a, cells);
  SURVTREE_SYNC();
  list_rows(a, t, cells, l);
  SURVTREE_SYNC();
  make_rows(a, t, cells, l);
  list_lanes(a, t, cells, l);
  SURVTREE_SYNC();
  if (t.rank == 0) place_items(a, cells);
  SURVTREE_SYNC();
  pass_lanes(a, t, cells, l);
  SURVTREE_SYNC();
  if (a.mode == kCombine) {
    offer_sums(a, t, cells.questions, cells.best);
  } else if (a.mode != kLanes) {
    for (u32 c = t.rank; c < 1u << a.level; c += t.size)
      a.values[(set << a.level) + c] = cells.best[c];
  }
  SURVTREE_SYNC();
}
