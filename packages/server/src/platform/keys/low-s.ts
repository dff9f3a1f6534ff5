// Canonical ES256 signatures. ECDSA has two signatures for the same key and message, (r, s) and (r, n − s), and
// base64url texts can differ in unused bits. The product writes the signature with the lower s and accepts no other.

/** Order n of P-256 (FIPS 186-5). */
const order = 0xffff_ffff_0000_0000_ffff_ffff_ffff_ffff_bce6_faad_a717_9e84_f3b9_cac2_fc63_2551n
const halfOrder = order / 2n
const sideBytes = 32

const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

function toBytes(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * sideBytes, '0'), 'hex')
}

const readSignature = (token: string): string => token.slice(token.lastIndexOf('.') + 1)

/** Returns a compact ES256 token (RFC 7515) with its signature in low-s form. */
export function withLowS(token: string): string {
  const text = readSignature(token)
  const signature = Buffer.from(text, 'base64url')
  const s = toNumber(signature.subarray(sideBytes))
  if (s <= halfOrder) return token
  const lowSSignature = Buffer.concat([signature.subarray(0, sideBytes), toBytes(order - s)])
  return token.slice(0, -text.length) + lowSSignature.toString('base64url')
}

/** Returns whether the signature of a compact ES256 token is in its canonical form. */
export function hasLowS(token: string): boolean {
  const text = readSignature(token)
  const signature = Buffer.from(text, 'base64url')
  return (
    signature.length === 2 * sideBytes &&
    signature.toString('base64url') === text &&
    toNumber(signature.subarray(sideBytes)) <= halfOrder
  )
}
