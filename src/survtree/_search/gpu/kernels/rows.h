// Both sides of one split, whatever the loss. A loss has
//   Row       what a block lists of each row of a cell; made by make_row()
//   TileRow   what lanes read of it, by fetch(): kParts parts, one in each pass over the rows
//   Lane      sums or integrals of both sides, by start(), pass() and end_part()
//   losses_of_lane()   what these come to.

// Rows of a tile, the last first; its answer is the lowest bit of `said`.
SURVTREE_FN void pass_tile(const TileRow* tile, u32 n, u32 said, Lane& lane) {
#ifdef __CUDACC__
#pragma unroll 4
#endif
  for (u32 i = n; i-- > 0; said >>= 1) pass(tile[i], (said & 1u) != 0, lane);
}

// The lanes of a warp pass the same rows: they fetch them together.
SURVTREE_FN void pass_rows(const Arguments& a, Team t, const Row* rows, u32 n, Answers answers,
                           u32 part, TileRow* tile, Lane& lane) {
  for (u32 end = n; end > 0;) {
    const u32 begin = end > kTile ? end - kTile : 0;
    SURVTREE_SYNC_WARP();
    for (u32 i = t.lane; begin + i < end; i += t.width) fetch(a, rows[begin + i], part, tile[i]);
    const u32 said = answers.of_tile(begin, end);
    SURVTREE_SYNC_WARP();
    if (end - begin == kTile)
      pass_tile(tile, kTile, said, lane);
    else
      pass_tile(tile, end - begin, said, lane);
    end = begin;
  }
}

SURVTREE_FN Losses losses_of(const Arguments& a, Team t, const Row* rows, u32 n, Answers answers,
                             TileRow* tile) {
  Lane lane;
  start(a, lane);
  for (u32 part = 0; part < kParts; ++part) {
    pass_rows(a, t, rows, n, answers, part, tile, lane);
    end_part(a, t, rows, n, part, lane);
  }
  return losses_of_lane(a, t, rows, n, lane);
}
