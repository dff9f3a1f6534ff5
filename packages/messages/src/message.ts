/** A sentence of a catalogue: the text itself, or the text around its parameters. */
export type Message<P = never> = string | ((params: P) => string)

/** The parameters of sentences, as they are stored and sent beside their code. */
export type Params = Readonly<Record<string, string | number>>

/** A part of a catalogue in any language: the same codes with the same parameters. */
export type InAnyLanguage<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (params: infer P) => string
      ? (params: P) => string
      : InAnyLanguage<T[K]>
}

/** A code of a catalogue's part together with the parameters that its sentence takes. */
export type Coded<T> = {
  readonly [K in keyof T & string]: T[K] extends (params: infer P extends Params) => string
    ? { readonly code: K; readonly params: P }
    : { readonly code: K; readonly params?: undefined }
}[keyof T & string]

/** The codes whose sentences take no parameters. */
export type PlainCode<T> = { readonly [K in keyof T & string]: T[K] extends string ? K : never }[keyof T & string]

/** The sentence of a code with its parameters. */
export function sentence<T extends object>(part: T, coded: Coded<T> | PlainCode<T>): string {
  const { code, params } = typeof coded === 'string' ? { code: coded, params: undefined } : coded
  const message = part[code as keyof T] as Message<Params>
  return typeof message === 'function' ? message(params ?? {}) : message
}
