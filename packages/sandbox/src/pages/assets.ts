import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

interface Asset {
  type: string
  content: Buffer
  /** Contains a content hash, for unlimited caching. */
  address: string
}

function load(name: string, type: string): [string, Asset] {
  const content = readFileSync(new URL(`../../public/${name}`, import.meta.url))
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12)
  return [name, { type, content, address: `/assets/${name}?v=${version}` }]
}

const assets = new Map([
  load('sandbox.css', 'text/css; charset=utf-8'),
  load('control.css', 'text/css; charset=utf-8'),
  load('checkout.js', 'text/javascript; charset=utf-8'),
  load('icon.svg', 'image/svg+xml'),
])

/** A page file's address. */
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
