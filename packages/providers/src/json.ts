// Readers for provider replies. Each returns undefined unless the value is present in the expected form.

const member = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined

export const readObject = (body: unknown, name: string): object | undefined => {
  const value = member(body, name)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

export const readList = (body: unknown, name: string): unknown[] | undefined => {
  const value = member(body, name)
  return Array.isArray(value) ? value : undefined
}

/** Makes a provider's text storable in the database: U+FFFD replaces lone surrogates and U+0000. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\uFFFD')

/** Reads a non-empty text. */
export const readText = (body: unknown, name: string): string | undefined => {
  const value = member(body, name)
  return typeof value === 'string' && value !== '' ? storable(value) : undefined
}

/** Reads several non-empty texts; undefined unless all are present. */
export function readTexts<Name extends string>(body: unknown, ...names: Name[]): Record<Name, string> | undefined {
  const texts = names.map((name) => [name, readText(body, name)])
  return texts.some(([, text]) => text === undefined) ? undefined : Object.fromEntries(texts)
}

export const readFlag = (body: unknown, name: string): boolean | undefined => {
  const value = member(body, name)
  return typeof value === 'boolean' ? value : undefined
}

export const readSafeInteger = (body: unknown, name: string): number | undefined => {
  const value = member(body, name)
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined
}

/** Reads a positive integer sent as a string of digits. */
export const readPositive = (body: unknown, name: string): bigint | undefined => {
  const value = readText(body, name)
  return value !== undefined && /^[1-9]\d{0,38}$/.test(value) ? BigInt(value) : undefined
}

export const readDate = (body: unknown, name: string): Date | undefined => {
  const date = new Date(readText(body, name) ?? '')
  return Number.isNaN(date.getTime()) ? undefined : date
}
