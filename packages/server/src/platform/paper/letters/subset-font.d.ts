declare module 'subset-font' {
  interface Options {
    targetFormat: 'woff2' | 'truetype'
    keepFeatures?: string[]
    variationAxes?: Record<string, { min: number; max: number } | number>
  }
  export default function subsetFont(font: Buffer, characters: string, options: Options): Promise<Buffer>
}
