import { createSandboxIdentity } from '@tern/providers/kyc/sandbox'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** For tests: an HTTP identity provider with configurable answers. */
export async function startProvider(
  answer: (body: { reference: string }) => { code: number; body: string } | undefined,
) {
  const references: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const body = JSON.parse(text) as { reference: string }
      references.push(body.reference)
      const told = answer(body)
      if (told) response.writeHead(told.code, { 'content-type': 'application/json' }).end(told.body)
      else response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    references,
    provider: createSandboxIdentity({ url: `http://127.0.0.1:${port}`, secret: 'x'.repeat(20), timeoutMs: 1000 }),
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
export const verdict = (status: string) => ({
  code: 200,
  body: JSON.stringify({ check_id: 'c1', status, reasons: [] }),
})
