/** What stands between the names of joint holders, as banks write them. */
const between = /\s*[&/;+]\s*|\s+(?:and|und|et|y|e|or|oder|ou|o)\s+/iu

/** The names in that of a bank account's holder: as a whole, and each of joint holders. */
export function namesOfHolder(holder: string): string[] {
  // One word alone is nobody's whole name.
  const parts = holder.split(between).filter((part) => /\S\s+\S/.test(part))
  return [...new Set([holder, ...parts].map((name) => name.trim()))]
}
