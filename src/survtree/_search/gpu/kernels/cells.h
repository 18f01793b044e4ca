// The cells of a set of questions: which rows are in each, and which questions part them.

// Of a block, in its own memory.
struct Cells {
  u32 questions[kMostLevels];
  u32 begin[kMostCells + 1];       // of its listed rows
  u32 rows[kMostCells];            // of the table, and how many of them are events
  u32 events[kMostCells];
  u32 n_lanes[kMostCells];         // questions that part the rows of the cell
  u32 by_size[kMostCells];         // cells, the largest first
  u32 item_begin[kMostCells + 1];  // in that order: lanes go in items of 32
  u32 n_taken;                     // items
  u64 best[kMostCells];
};

// Where a block keeps its rows and lanes.
struct Lists {
  TileRow* tiles;  // kTile rows for each warp
  u32* counts;   // cells x chunks of rows
  u32* yes_set;  // a bit a cell and question: someone says yes; with codes: has just this code
  u32* no_set;   // likewise no; with codes: the largest code, by cell and column
  u16* lanes;    // by cell: the questions that part its rows
  u32* numbers;  // of the listed rows, cell after cell
  u32* answers;  // as in Arguments
  Row* rows;
};

constexpr u32 kMostCounts = 2048;

SURVTREE_FN u32 n_chunks(const Arguments& a, Team t) {
  const u32 wanted = (u32)((a.n_rows + 7) / 8), room = kMostCounts >> a.level;
  u32 n = wanted < room ? wanted : room;
  return n < t.size ? n : t.size;
}

SURVTREE_FN u32 words_of_questions(const Arguments& a) { return (u32)((a.n_questions + 31) / 32); }

SURVTREE_FN u32 cell_of(const Arguments& a, const Cells& cells, u32 row) {
  const u32* answers = a.answers + (u64)row * a.n_words;
  u32 cell = 0;
  for (u32 i = 0; i < a.level; ++i)
    cell |= (u32)answers_to(a, answers, cells.questions[i]).says_yes(0) << i;
  return cell;
}

// Rows are listed cell by cell without losing their order: each chunk of consecutive rows is
// counted and written by one thread.
SURVTREE_FN void count_rows(const Arguments& a, Team t, const Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level, chunks = n_chunks(a, t);
  const u32 length = (u32)((a.n_rows + chunks - 1) / chunks);
  for (u32 chunk = t.rank; chunk < chunks; chunk += t.size) {
    for (u32 c = 0; c < n_cells; ++c) l.counts[c * chunks + chunk] = 0;
    for (u32 row = chunk * length; row < a.n_rows && row < (chunk + 1) * length; ++row)
      ++l.counts[cell_of(a, cells, row) * chunks + chunk];
  }
}

// Counts become places: within each cell first, then cell after cell.
SURVTREE_FN void place_in_cells(const Arguments& a, Team t, Cells& cells, const Lists& l) {
  const u32 n_cells = 1u << a.level, chunks = n_chunks(a, t);
  for (u32 c = t.rank; c < n_cells; c += t.size) {
    u32 sum = 0;
    for (u32 chunk = 0; chunk < chunks; ++chunk) {
      const u32 n = l.counts[c * chunks + chunk];
      l.counts[c * chunks + chunk] = sum;
      sum += n;
    }
    cells.begin[c + 1] = sum;
  }
}

SURVTREE_FN void place_cells(const Arguments& a, Cells& cells) {
  cells.begin[0] = 0;
  for (u32 c = 0; c < 1u << a.level; ++c) cells.begin[c + 1] += cells.begin[c];
}

SURVTREE_FN void note_answers(const Arguments& a, const u32* answers, u32 cell, const Lists& l) {
  const u32 width = words_of_questions(a);
#ifdef SURVTREE_CODES
  for (u32 j = 0; j < a.n_columns; ++j) {
    const u32 code = ((const u16*)answers)[j], bit = a.first_cut[j] + code;
    raise_to(l.no_set + cell * a.n_columns + j, code);
    if (bit < a.first_cut[j + 1]) add_bits(l.yes_set + cell * width + bit / 32, 1u << bit % 32);
  }
#else
  for (u32 w = 0; w < width; ++w) {
    add_bits(l.yes_set + cell * width + w, answers[w]);
    add_bits(l.no_set + cell * width + w, ~answers[w]);
  }
#endif
}

SURVTREE_FN void list_rows(const Arguments& a, Team t, Cells& cells, const Lists& l) {
  const u32 chunks = n_chunks(a, t);
  const u32 length = (u32)((a.n_rows + chunks - 1) / chunks);
  for (u32 chunk = t.rank; chunk < chunks; chunk += t.size)
    for (u32 row = chunk * length; row < a.n_rows && row < (chunk + 1) * length; ++row) {
      const u32 c = cell_of(a, cells, row);
      const u32 at = cells.begin[c] + l.counts[c * chunks + chunk]++;
      l.numbers[at] = row;
      const u32* answers = a.answers + (u64)row * a.n_words;
      for (u32 w = 0; w < a.n_words; ++w) l.answers[(u64)at * a.n_words + w] = answers[w];
      if (a.mode != kLeaves) note_answers(a, answers, c, l);
      add_count(cells.rows + c, a.copies[row]);
      add_count(cells.events + c, a.events[row]);
    }
}

// Whether a leaf may hold so many rows.
SURVTREE_FN bool is_leaf(const Arguments& a, u64 rows, u64 events) {
  return rows >= a.min_rows && events >= a.min_events && rows > 0;
}

// The questions of word w that part the rows of a cell.
SURVTREE_FN u32 parting(const Arguments& a, const Lists& l, u32 cell, u32 w) {
  const u32 width = words_of_questions(a);
  const u32 some = l.yes_set[cell * width + w];
#ifdef SURVTREE_CODES
  // A cut parts the rows if someone's code is larger; one at a code that nobody has parts them like
  // the one before.
  u32 out = 0;
  for (u32 left = some; left != 0; left &= left - 1) {
    const u32 bit = lowest_bit(left), question = 32 * w + bit;
    if (l.no_set[cell * a.n_columns + a.column[question]] > a.cut[question]) out |= 1u << bit;
  }
  return out;
#else
  const u32 n = (u32)a.n_questions - 32 * w;
  const u32 all = n >= 32 ? ~0u : (1u << n) - 1u;
  return some & l.no_set[cell * width + w] & all;
#endif
}

// Each word of a cell's questions finds its place by counting those before it.
SURVTREE_FN void list_lanes(const Arguments& a, Team t, Cells& cells, const Lists& l) {
  const u32 width = words_of_questions(a), n_cells = 1u << a.level;
  for (u32 k = t.rank; k < n_cells * width; k += t.size) {
    const u32 c = k / width, w = k % width;
    const bool can_split =
        is_leaf(a, cells.rows[c] / 2, cells.events[c] / 2) && a.mode != kLeaves;
    u32 at = 0;
    for (u32 before = 0; can_split && before < w; ++before)
      at += count_bits(parting(a, l, c, before));
    u32 here = can_split ? parting(a, l, c, w) : 0;
    if (w + 1 == width) cells.n_lanes[c] = at + count_bits(here);
    for (; here != 0; here &= here - 1)
      l.lanes[(u64)c * a.n_questions + at++] = (u16)(32 * w + lowest_bit(here));
  }
}

// Its place among all by size: those that are larger come first.
SURVTREE_FN void order_cells(const Arguments& a, Team t, Cells& cells) {
  const u32 n_cells = 1u << a.level;
  for (u32 c = t.rank; c < n_cells; c += t.size) {
    const u32 size = cells.begin[c + 1] - cells.begin[c];
    u32 place = 0;
    for (u32 other = 0; other < n_cells; ++other) {
      const u32 others = cells.begin[other + 1] - cells.begin[other];
      place += others > size || (others == size && other < c);
    }
    cells.by_size[place] = c;
  }
}

// The place in ascending numbers at which `at` belongs.
SURVTREE_FN u32 place_of(const u32* begin, u32 n_cells, u32 at) {
  u32 low = 0, high = n_cells;  // begin[low] <= at < begin[high]
  while (high - low > 1) {
    const u32 middle = (low + high) / 2;
    if (begin[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}
