/** A QR code as squares of one module each, its quiet zone included. */
export interface QrModules {
  /** Modules on a side. */
  readonly size: number
  readonly path: string
}

interface QrOptions {
  /** How much of it may be damaged, or covered: 15 % at M, 30 % at H. */
  readonly level: 'M' | 'H'
  /** Modules around it. */
  readonly border: number
}

/** The modules of a QR code (ISO/IEC 18004) for this text; the encoder is fetched when it is needed. */
export async function qrModules(text: string, { level, border }: QrOptions): Promise<QrModules> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: level, border })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: squares.join('') }
}
