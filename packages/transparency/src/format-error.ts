/** Text or bytes that break a format of this package; the message names the first thing that does. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}
