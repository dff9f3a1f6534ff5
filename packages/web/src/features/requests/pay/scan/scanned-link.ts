/**
 * The `data` of a payment link that a code or a text holds; undefined unless it is a link of this very site. Nobody is led
 * elsewhere by a code.
 */
export function dataOfLink(text: string, origin: string): string | undefined {
  if (!URL.canParse(text.trim())) return undefined
  const url = new URL(text.trim())
  const data = url.searchParams.get('data')
  return url.origin === origin && url.pathname === '/pay' && data !== null && data !== '' ? data : undefined
}
