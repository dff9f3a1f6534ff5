// Texts in the data of a document.

/** Returns every text in a value of plain objects and arrays, at any depth. */
export function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/** Copies a value, with every text replaced by `spell`. */
export function mapTexts<T>(value: T, spell: (text: string) => string): T {
  if (typeof value === 'string') return spell(value) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, mapTexts(each, spell)] as const)
  return (Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as T
}
