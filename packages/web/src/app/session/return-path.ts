/**
 * Destination after login: `from` if it is a path of this site, else `fallback`. Addresses of other sites, however
 * they are written, are never followed.
 */
export function returnPath(from: string | null | undefined, fallback: string): string {
  if (!from || !/^\/(?![/\\])/.test(from)) return fallback
  const home = 'https://own.invalid'
  try {
    const { origin, pathname, search, hash } = new URL(from, home)
    return origin === home && !pathname.startsWith('//') ? pathname + search + hash : fallback
  } catch {
    return fallback
  }
}
