/** Separators banks put between the names of joint holders. */
const nameSeparator = /\s*[&/;+]\s*|\s+(?:and|und|et|y|e|or|oder|ou|o)\s+/iu

/** Returns the holder name of a bank account as a whole, and the name of each joint holder. */
export function splitHolderNames(holder: string): string[] {
  // A single word is no full name.
  const parts = holder.split(nameSeparator).filter((part) => /\S\s+\S/.test(part))
  return [...new Set([holder, ...parts].map((name) => name.trim()))]
}
