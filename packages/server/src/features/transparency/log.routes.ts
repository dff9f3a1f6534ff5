// The log as static files (c2sp.org/tlog-tiles), below `/log/`, and the proofs of users' own transactions.

import { transactionProof } from '@tern/contract/transparency'
import { formatCheckpoint } from '@tern/transparency/checkpoint'
import { FormatError } from '@tern/transparency/format-error'
import { parseTilePath, type Tile, tileWidth } from '@tern/transparency/tile-paths'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type pg from 'pg'
import { limitPerAddress, limitPerUser } from '../../platform/http/rate-limits.ts'
import { serveReading } from '../../platform/http/serve.ts'
import { refuse } from '../../platform/refuse.ts'
import { readTile } from './tile-store.ts'
import type { Transparency } from './transparency.ts'

// Per minute. A monitor reads the log tile by tile.
const readsPerAddress = 1200
const proofsPerUser = 60

const immutable = 'public, max-age=31536000, immutable'
/** Time for which a checkpoint may be cached; it changes every few seconds. */
const briefly = 'public, max-age=2'

interface RouteParts {
  readonly pool: pg.Pool
  readonly transparency: Transparency
}

/** Serves checkpoint, keys and tiles to everyone. */
export function logRoutes(http: FastifyInstance, { pool, transparency }: RouteParts): void {
  const limit = limitPerAddress(http, 'log', readsPerAddress)
  const options = {
    schema: { hide: true },
    onRequest: async (_request: unknown, reply: FastifyReply) => {
      // Verifiers on other sites may read the log.
      void reply.header('access-control-allow-origin', '*')
    },
    preHandler: limit,
  } as const
  const sendText = (reply: FastifyReply, text: string) =>
    reply.header('cache-control', briefly).type('text/plain; charset=utf-8').send(text)

  http.get('/log/checkpoint', options, async (_request, reply) => {
    const checkpoint = await transparency.readPublishedCheckpoint(pool)
    return checkpoint ? sendText(reply, formatCheckpoint(checkpoint)) : refuse('not_found')
  })
  http.get('/log/vkey', options, async (_request, reply) =>
    sendText(reply, `${(await transparency.readPolicy(pool)).log}\n`),
  )
  http.get('/log/policy', options, async (_request, reply) =>
    reply.header('cache-control', briefly).send(await transparency.readPolicy(pool)),
  )
  http.get<{ Params: { '*': string } }>('/log/tile/*', options, async ({ params }, reply) => {
    const tile = readTilePath(`tile/${params['*']}`)
    const content = (tile && (await readTile(pool, tile))) ?? refuse('not_found')
    return reply
      .header('cache-control', tile?.width === tileWidth ? immutable : 'public, max-age=3600')
      .type('application/octet-stream')
      .send(Buffer.from(content))
  })
}

function readTilePath(path: string): Tile | undefined {
  try {
    return parseTilePath(path)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

/** Serves the proofs of the caller's own transactions. */
export function proofRoutes(api: FastifyInstance, { transparency }: RouteParts): void {
  serveReading(
    api,
    transactionProof,
    async ({ params, caller, db }) =>
      (await transparency.prove(db, { userId: caller.userId, id: params.id })) ?? refuse('not_found'),
    limitPerUser(api, 'transaction-proof', proofsPerUser),
  )
}
