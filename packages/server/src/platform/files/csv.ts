// Comma-separated values (RFC 4180) for spreadsheets, which must show every text unchanged and run none as a formula,
// whatever their separator. All CSV files that the product writes are formatted here.

/** Byte-order mark, without which Excel on Windows reads a CSV file in the local code page. */
const byteOrderMark = '\ufeff'

/** Characters that a spreadsheet drops or hides (spaces, controls, formats, fillers), and quotes and apostrophes. */
const invisibleCharacters = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"']*`
/** Characters that begin a formula, with their full-width, small, raised and lowered forms, and all dashes. */
const beginsFormula = String.raw`[=+@＝＋＠﹦﹢﹫⁼⁺₌₊⁻₋⩵⩶﬩\u2212\p{Pd}]`
/** Cell and line separators of any spreadsheet, in any width. */
const separator = String.raw`[,;|，；｜、\t\v\f\r\n\u0085\u2028\u2029]`
/** Matches positions at which a formula could start, and a leading tab or line break. */
const formulaPattern = new RegExp(
  String.raw`(?<=^|${separator})(?=${invisibleCharacters}${beginsFormula})|^(?='*[\t\r\n])`,
  'gu',
)

/** Decimal that every spreadsheet can hold exactly: no leading zeros, at most 15 digits. */
const number = /^-?(?=(?:\.?\d){1,15}$)(0|[1-9]\d*)(\.\d+)?$/

/** Formats a value: a time in ISO 8601, other non-strings as JSON. */
function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Inserts an apostrophe wherever a cell could start with a formula, a tab or a line break. */
export const guardText = (text: string): string => text.replaceAll(formulaPattern, "'")

/** Formats a cell: empty for null and undefined, numbers unquoted, everything else as guarded text in quotes. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'bigint') return value.toString()
  const text = formatValue(value)
  if (number.test(text)) return text
  return `"${guardText(text).replaceAll('"', '""')}"`
}

/** Formats a line with its line break. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(csvCell).join(',')}\r\n`

/** Returns the start of a file: the byte-order mark and the column names, which are identifiers. */
export const csvHead = (columns: readonly string[]): string => `${byteOrderMark}${columns.join(',')}\r\n`
