// Comma-separated values (RFC 4180) that no spreadsheet runs. The one way in which the product writes such files.

/** A value of a cell: text as it is, a moment in ISO 8601, other values as JSON; empty for null and undefined. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return value
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value)
}

/** Characters that a spreadsheet drops or does not show: spaces, controls, formats, and fillers. */
const unseen = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"]*`
/** Beginnings of a formula, with their full-width, small, raised and lowered forms, and all dashes. */
const beginsFormula = String.raw`[=+@＝＋＠﹦﹢﹫⁼⁺₌₊⁻₋\u2212\p{Pd}]`
/** Matches a formula at the start of a cell, or of a cell under another separator. */
const formula = new RegExp(String.raw`(?<=^|[,;|\t\r\n])(?=${unseen}${beginsFormula})`, 'gu')
const number = /^-?\d+(\.\d+)?$/

/** One cell, quoted where needed. Text that a spreadsheet would take for a formula gets an apostrophe before it. */
function csvCell(value: unknown): string {
  const text = textOf(value)
  const harmless = number.test(text) ? text : text.replaceAll(formula, "'")
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** One line, its end included. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`
