/** Log for identity events. Never log passwords, tokens or emails. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
