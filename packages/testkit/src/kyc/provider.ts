import { SignatureError } from '@tern/providers/events/port'
import type { IdentityProvider, IdentityResult } from '@tern/providers/verify/port'
import { createSandboxIdentityProvider } from '@tern/providers/verify/sandbox'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** For tests: starts an HTTP identity provider with answers chosen by the test; undefined breaks the connection. */
export async function startProvider(
  answer: (body: { reference: string }) => { code: number; body: string } | undefined,
) {
  const references: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      // A lookup has no body; the id of its check is in the path.
      const body = JSON.parse(text || JSON.stringify({ reference: request.url?.split('/').at(-1) })) as {
        reference: string
      }
      references.push(body.reference)
      const reply = answer(body)
      if (reply) response.writeHead(reply.code, { 'content-type': 'application/json' }).end(reply.body)
      else response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    references,
    // The pause prevents polls by the product during a test, which counts the calls.
    provider: {
      ...createSandboxIdentityProvider({ url: `http://127.0.0.1:${port}`, secret: 'x'.repeat(20), timeoutMs: 1000 }),
      minPauseMs: 3_600_000,
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** For tests: returns a provider whose `create` and `lookup` both call `check`. */
export const providerWithCheck = (check: () => Promise<IdentityResult>): Omit<IdentityProvider, 'name'> => ({
  minPauseMs: 3_600_000,
  create: check,
  lookup: check,
  openPage: () => Promise.resolve({ status: 'ended' }),
  redact: () => Promise.resolve({ status: 'redacted' }),
  verifyEvent() {
    throw new SignatureError('This provider sends no events')
  },
})

/** For tests: returns the result of an adapter with this status. */
export const resultWithStatus = (status: Exclude<IdentityResult['status'], 'unknown'>) =>
  Promise.resolve({ status, checkId: 'c', reasons: [], isHosted: false } as const)

export const verdictReply = (status: string) => ({
  code: 200,
  body: JSON.stringify({ check_id: 'c1', status, reasons: [] }),
})
