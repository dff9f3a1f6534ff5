const prefixScale = 0.1
const longestPrefix = 4

/**
 * How alike two words are, from 0 to 1: the share of letters found near their place, less for those out of order
 * (Jaro 1989), more for an equal beginning (Winkler 1990).
 */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1)
  const isTaken = new Uint8Array(b.length)
  const found: string[] = []
  for (let index = 0; index < a.length; index += 1) {
    const last = Math.min(b.length - 1, index + reach)
    for (let place = Math.max(0, index - reach); place <= last; place += 1) {
      if (isTaken[place] || a[index] !== b[place]) continue
      isTaken[place] = 1
      found.push(a[index] ?? '')
      break
    }
  }
  if (found.length === 0) return 0
  let outOfOrder = 0
  let place = 0
  for (const letter of found) {
    while (!isTaken[place]) place += 1
    if (b[place] !== letter) outOfOrder += 1
    place += 1
  }
  const { length: common } = found
  const jaro = (common / a.length + common / b.length + (common - outOfOrder / 2) / common) / 3
  let prefix = 0
  while (prefix < longestPrefix && prefix < a.length && a[prefix] === b[prefix]) prefix += 1
  return jaro + prefix * prefixScale * (1 - jaro)
}
