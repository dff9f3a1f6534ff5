/** Returns an id from the payload of a job; throws if it is missing. */
export function readJobId(payload: unknown, name: string): string {
  const id = (payload as Readonly<Record<string, unknown>> | null)?.[name]
  if (typeof id !== 'string') throw new Error(`a job has no ${name}`)
  return id
}
