// Comma-separated values (RFC 4180) for people: a spreadsheet shows every text as it is and runs none, whichever
// separator it takes. All CSV files of the product are written here; none is read by a machine of ours.

/** Byte-order mark: without it, Excel on Windows reads a CSV file in the local code page. */
const byteOrderMark = '\ufeff'

/** Characters that a spreadsheet drops or does not show: spaces, controls, formats, and fillers; and our apostrophes. */
const unseen = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"']*`
/** Beginnings of a formula, with their full-width, small, raised and lowered forms, and all dashes. */
const beginsFormula = String.raw`[=+@＝＋＠﹦﹢﹫⁼⁺₌₊⁻₋⩵⩶﬩\u2212\p{Pd}]`
/** Ends of a cell, or of a line, under any separator and in any width. */
const separator = String.raw`[,;|，；｜、\t\v\f\r\n\u0085\u2028\u2029]`
/** Matches wherever a formula, or a leading tab or line break, begins. */
const formula = new RegExp(String.raw`(?<=^|${separator})(?=${unseen}${beginsFormula})|^(?='*[\t\r\n])`, 'gu')

/** A decimal that every spreadsheet can hold exactly: no leading zeros, at most 15 digits. */
const number = /^-?(?=(?:\.?\d){1,15}$)(0|[1-9]\d*)(\.\d+)?$/

/** Text of a value: a moment in ISO 8601, values without a text of their own as JSON. */
function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The text with an apostrophe wherever a cell of it could begin as a formula, or with a tab or a line break. */
export const guardText = (text: string): string => text.replaceAll(formula, "'")

/** One cell: nothing for null and undefined, a number as it is, all else as guarded text in quotes. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'bigint') return value.toString()
  const text = textOf(value)
  if (number.test(text)) return text
  return `"${guardText(text).replaceAll('"', '""')}"`
}

/** One line, its end included. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`

/** The beginning of a file: the byte-order mark and the names of its columns, which are identifiers. */
export const csvHead = (columns: readonly string[]): string => `${byteOrderMark}${columns.join(',')}\r\n`
