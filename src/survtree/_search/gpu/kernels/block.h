// What a block does with one set of questions.

// Where a block's lists are in its own memory; the bytes that they take. `l` may be null.
SURVTREE_FN u64 lay_out(const Arguments& a, Team t, unsigned char* memory, Lists* l) {
  const u64 n_cells = 1ull << a.level, width = words_of_questions(a);
  const u64 tiles = sizeof(TileRow) * kTile * (t.size / t.width);
  const u64 yes_set = 4 * n_cells * width;
  const u64 no_set = 4 * n_cells * (a.n_columns > width ? a.n_columns : width);
  // Counts are done with before lanes are listed.
  const u64 counts = 4 * (u64)kMostCounts, lanes = 2 * n_cells * a.n_questions;
  if (l != nullptr) {
    l->tiles = (TileRow*)memory;
    l->yes_set = (u32*)(memory + tiles);
    l->no_set = (u32*)(memory + tiles + yes_set);
    l->counts = (u32*)(memory + tiles + yes_set + no_set);
    l->lanes = (u16*)l->counts;
  }
  return tiles + yes_set + no_set + (counts > lanes ? counts : lanes);
}

// Those of rows, in memory that blocks have in common.
SURVTREE_FN u64 lay_out_rows(const Arguments& a, unsigned char* memory, Lists* l) {
  if (l != nullptr) {
    l->rows = (Row*)memory;
    l->numbers = (u32*)(memory + sizeof(Row) * a.n_rows);
    l->answers = l->numbers + a.n_rows;
  }
  return (sizeof(Row) + 4 + 4 * a.n_words) * a.n_rows;
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
  if (t.rank == 0) {
    find_set(a, set, cells.questions);
    cells.n_taken = 0;
  }
}

SURVTREE_FN void make_rows(const Arguments& a, Team t, const Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level;
  for (u32 at = t.rank; at < a.n_rows; at += t.size) {
    const u32 c = place_of(cells.begin, n_cells, at);
    make_row(a, l.numbers, at, cells.begin[c + 1], l.rows[at]);
  }
}

// One lane more than there are questions: all rows as one leaf.
SURVTREE_FN void place_items(const Arguments& a, Cells& cells) {
  cells.item_begin[0] = 0;
  for (u32 k = 0; k < 1u << a.level; ++k) {
    const u32 c = cells.by_size[k];
    const u32 n = is_leaf(a, cells.rows[c], cells.events[c]) ? (cells.n_lanes[c] + 32) / 32 : 0;
    cells.item_begin[k + 1] = cells.item_begin[k] + n;
  }
}

// What a split of a cell on this question costs, or a leaf; infinite if a side is too small.
SURVTREE_FN double cost_of(const Arguments& a, Team t, const Cells& cells, const Lists& l, u32 cell,
                           u32 question) {
  const u32 begin = cells.begin[cell], n = cells.begin[cell + 1] - begin;
  const Answers answers = answers_to(a, l.answers + (u64)begin * a.n_words, question);
  TileRow* tile = l.tiles + t.rank / t.width * kTile;
  const Losses found = losses_of(a, t, l.rows + begin, n, answers, tile);
  if (question == kNobody) return found.no + a.penalty;
  const bool fits = is_leaf(a, found.yes_rows, found.yes_events) &&
                    is_leaf(a, cells.rows[cell] - found.yes_rows,
                            cells.events[cell] - found.yes_events);
  if (!fits) return double_of(kInfinity);
  return (found.no + a.penalty) + (found.yes + a.penalty) + penalty_of(a, question);
}

// 32 lanes of a cell, which the threads of a warp share. Those beyond the last do what the last
// does, a leaf: all threads must be there to fetch rows.
SURVTREE_FN void pass_item(const Arguments& a, Team t, Cells& cells, const Lists& l, u32 item) {
  const u32 k = place_of(cells.item_begin, 1u << a.level, item), c = cells.by_size[k];
  const u32 first = 32 * (item - cells.item_begin[k]), n_lanes = cells.n_lanes[c];
  for (u32 lane = first + t.lane; lane < first + 32; lane += t.width) {
    const u32 question = lane < n_lanes ? l.lanes[(u64)c * a.n_questions + lane] : kNobody;
    const u64 cost = bits_of(cost_of(a, t, cells, l, c, question));
    if (a.mode == kLanes && lane <= n_lanes)
      a.values[question == kNobody ? a.n_questions : question] = cost;
    lower(cells.best + c, cost);
  }
}

SURVTREE_FN void pass_lanes(const Arguments& a, Team t, Cells& cells, const Lists& l) {
  const u32 n_items = cells.item_begin[1u << a.level];
  for (;;) {
    const u32 item = next_number(&cells.n_taken, t.lane);
    if (item >= n_items) return;
    pass_item(a, t, cells, l, item);
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
  order_cells(a, t, cells);
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
