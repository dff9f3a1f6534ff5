/** Message of a catalogue: a text, or a function of its parameters. */
export type Message<P = never> = string | ((params: P) => string)

/** Parameters of a message, as stored and sent with its code. */
export type Params = Readonly<Record<string, string | number>>

/** Part of a catalogue in any language: the same codes, with the same parameters. */
export type InAnyLanguage<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (params: infer P) => string
      ? (params: P) => string
      : InAnyLanguage<T[K]>
}

/** Code of a message, with its parameters. */
export type Coded<T> = {
  readonly [K in keyof T & string]: T[K] extends (params: infer P extends Params) => string
    ? { readonly code: K; readonly params: P }
    : { readonly code: K; readonly params?: undefined }
}[keyof T & string]

/** Codes of messages without parameters. */
export type PlainCode<T> = { readonly [K in keyof T & string]: T[K] extends string ? K : never }[keyof T & string]

export function sentence<T extends object>(part: T, coded: Coded<T> | PlainCode<T>): string {
  const { code, params } = typeof coded === 'string' ? { code: coded, params: undefined } : coded
  const message = part[code as keyof T] as Message<Params>
  return typeof message === 'function' ? message(params ?? {}) : message
}
