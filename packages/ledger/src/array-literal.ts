import assert from 'node:assert'

/**
 * An array for PostgreSQL of values that need no quoting: numbers, UUIDs, ISO times, codes. Built here and not by the
 * driver, which looks at each element for its type: a batch has thousands of them. Throws AssertionError for a text that
 * would need quotes, because it could pass for several elements and shift its neighbours.
 */
export function plainArray(values: readonly (string | number | bigint | undefined)[]): string {
  let literal = '{'
  for (const value of values) literal += (literal.length === 1 ? '' : ',') + plain(value)
  return literal + '}'
}

function plain(value: string | number | bigint | undefined): string {
  if (value === undefined) return 'NULL'
  if (typeof value === 'string') assert(/^[\w.:+-]+$/.test(value), `"${value}" is no plain value`)
  return String(value)
}

/** An array for PostgreSQL of any texts. */
export function textArray(values: readonly (string | undefined)[]): string {
  let literal = '{'
  for (const value of values) literal += (literal.length === 1 ? '' : ',') + quoted(value)
  return literal + '}'
}

const quoted = (value: string | undefined): string =>
  value === undefined ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`
