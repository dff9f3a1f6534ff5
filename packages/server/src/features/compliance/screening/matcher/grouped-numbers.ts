/** Lists of numbers by key (0 and up), stored in one array. */
export interface GroupedNumbers {
  /** Returns the numbers of a key in the order in which they were given. */
  of(key: number): Uint32Array
}

/** Groups numbers by key. Iterates over `pairs` twice. */
export function groupNumbers(
  keyCount: number,
  pairs: () => Iterable<readonly [key: number, value: number]>,
): GroupedNumbers {
  const starts = new Uint32Array(keyCount + 1)
  for (const [key] of pairs()) starts[key + 1] = (starts[key + 1] ?? 0) + 1
  for (let key = 0; key < keyCount; key += 1) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0)
  const values = new Uint32Array(starts[keyCount] ?? 0)
  const next = starts.slice()
  for (const [key, value] of pairs()) {
    values[next[key] ?? 0] = value
    next[key] = (next[key] ?? 0) + 1
  }
  return { of: (key) => values.subarray(starts[key], starts[key + 1]) }
}
