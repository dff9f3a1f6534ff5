export type LetterTable = Readonly<Record<string, string>>

/** Parses a table of letters, each followed by its Latin form; `-` stands for an empty form. */
export function readTable(text: string): LetterTable {
  const words = text.trim().split(/\s+/)
  const table: Record<string, string> = {}
  for (let at = 0; at + 1 < words.length; at += 2) table[words[at] ?? ''] = (words[at + 1] ?? '').replace('-', '')
  return table
}
