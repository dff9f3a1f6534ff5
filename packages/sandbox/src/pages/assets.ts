import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

interface Asset {
  type: string
  content: Buffer
  /** Contains a hash of the content, so that it can be cached without limit. */
  address: string
}

const publicFolder = new URL('../../public/', import.meta.url)
/** Fonts of the product's pages. */
const fontFolder = new URL('../../../web/fonts/', import.meta.url)
/** Design tokens and resets of the product's pages, which precede the sandbox's own rules. */
const kit = ['tokens.css', 'elements.css']
  .map((name) => readFileSync(new URL(`../../../web/src/css/${name}`, import.meta.url), 'utf8'))
  .join('\n')

const assets = new Map<string, Asset>()

function storeAsset(name: string, type: string, content: Buffer): void {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12)
  assets.set(name, { type, content, address: `/assets/${name}?v=${version}` })
}

for (const name of ['text.woff2', 'text-signs.woff2', 'display.woff2']) {
  storeAsset(name, 'font/woff2', readFileSync(new URL(name, fontFolder)))
}
for (const [name, type] of [
  ['sandbox.css', 'text/css; charset=utf-8'],
  ['control.css', 'text/css; charset=utf-8'],
  ['checkout.js', 'text/javascript; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
] as const) {
  const content = readFileSync(new URL(name, publicFolder))
  storeAsset(name, type, name === 'sandbox.css' ? Buffer.from(inlineKit(content.toString())) : content)
}

/** Puts the product's styles before a style sheet, and replaces font names by the addresses of the fonts. */
function inlineKit(sheet: string): string {
  return `${kit}\n${sheet.replaceAll(/url\('([\w-]+\.woff2)'\)/g, toFontReference)}`
}

function toFontReference(_: string, name: string): string {
  const font = assets.get(name)
  if (!font) throw new Error(`The style sheet names a type face that is not there: ${name}`)
  return `url('${font.address}')`
}

export function assetAddress(name: 'sandbox.css' | 'control.css' | 'checkout.js' | 'icon.svg'): string {
  return assets.get(name)?.address ?? ''
}

export function assetRoutes(app: FastifyInstance): void {
  for (const [name, { type, content }] of assets) {
    app.get(`/assets/${name}`, (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content),
    )
  }
}
