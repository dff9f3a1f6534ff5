// Length of the reused rows of the distance table; longer texts get rows of their own.
const rowLetters = 128
const sharedRows = [new Uint16Array(rowLetters), new Uint16Array(rowLetters), new Uint16Array(rowLetters)] as const

/**
 * Returns the least number of letters to replace, delete, insert or swap with a neighbour to turn one text into the
 * other (Damerau-Levenshtein distance, each position edited once). A result above `maxErrors` is not exact.
 */
export function countTypingErrors(a: string, b: string, maxErrors: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > maxErrors) return maxErrors + 1
  const isLong = b.length >= rowLetters
  let [secondLastRow, lastRow, row] = isLong ? sharedRows.map(() => new Uint16Array(b.length + 1)) : sharedRows
  if (!secondLastRow || !lastRow || !row) return maxErrors + 1
  for (let j = 0; j <= b.length; j += 1) lastRow[j] = j
  for (let i = 1; i <= a.length; i += 1) {
    const letter = a.charCodeAt(i - 1)
    row[0] = i
    let rowMinimum = i
    for (let j = 1; j <= b.length; j += 1) {
      const other = b.charCodeAt(j - 1)
      let errors = Math.min(
        (lastRow[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (lastRow[j - 1] ?? 0) + (letter === other ? 0 : 1),
      )
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other)
        errors = Math.min(errors, (secondLastRow[j - 2] ?? 0) + 1)
      row[j] = errors
      if (errors < rowMinimum) rowMinimum = errors
    }
    if (rowMinimum > maxErrors) return maxErrors + 1
    ;[secondLastRow, lastRow, row] = [lastRow, row, secondLastRow]
  }
  return lastRow[b.length] ?? 0
}
