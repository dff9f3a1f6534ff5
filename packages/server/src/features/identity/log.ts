/** Where identity tells what happened. Never told: passwords, tokens, emails. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
