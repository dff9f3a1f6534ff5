/**
 * Destination after login: `from` if it is a path of this site, else `otherwise`. Addresses of other sites, however
 * they are written, are never followed.
 */
export function returnPath(from: string | null | undefined, otherwise: string): string {
  if (!from || !/^\/(?![/\\])/.test(from)) return otherwise
  const home = 'https://own.invalid'
  try {
    const { origin, pathname, search, hash } = new URL(from, home)
    return origin === home && !pathname.startsWith('//') ? pathname + search + hash : otherwise
  } catch {
    return otherwise
  }
}
