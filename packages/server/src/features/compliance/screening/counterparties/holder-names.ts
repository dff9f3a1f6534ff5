/** Separators that banks put between the names of joint holders. */
const nameSeparator = /\s*[&/;+]\s*|\s+(?:and|und|et|y|e|or|oder|ou|o)\s+/iu

/** Returns the holder name of a bank account, and the names of the joint holders in it. */
export function splitHolderNames(holder: string): string[] {
  // Ignores parts of one word, which are no full names.
  const parts = holder.split(nameSeparator).filter((part) => /\S\s+\S/.test(part))
  return [...new Set([holder, ...parts].map((name) => name.trim()))]
}
