/** The input of a function `f(ctx, db, input)`, for the door that binds it. */
export type InputOf<Work extends (context: never, db: never, input: never) => unknown> = Parameters<Work>[2]
