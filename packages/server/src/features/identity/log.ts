/** Log for identity events. Must not contain passwords, tokens or emails. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}
