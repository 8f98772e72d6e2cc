/** Concatenates the values of all blocks; a single block is not copied. */
export function joinedValues<Values extends Float64Array | Int32Array>(
  blocks: readonly Values[],
  of: new (length: number) => Values,
): Values {
  const [only] = blocks
  if (blocks.length === 1 && only) return only
  const all = new of(blocks.reduce((sum, block) => sum + block.length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
