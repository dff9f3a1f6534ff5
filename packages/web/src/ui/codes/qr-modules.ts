/** QR code as squares of one module each, its quiet zone included. */
export interface QrModules {
  /** Modules per side. */
  readonly size: number
  readonly path: string
}

interface QrOptions {
  /** Share that may be damaged or covered: 7 % at L, 15 % at M, 30 % at H. */
  readonly level: 'L' | 'M' | 'H'
  /** Width of the quiet zone in modules. */
  readonly border: number
}

/** Modules of a QR code (ISO/IEC 18004) for a text; loads the encoder on demand. */
export async function createQrModules(text: string, { level, border }: QrOptions): Promise<QrModules> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: level, border })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: squares.join('') }
}
