import net, { type AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import type { Mail } from './port.ts'
import { createSmtpMailProvider, type SmtpOptions } from './smtp.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const end of cleanups.splice(0).toReversed()) await end()
})

interface ReceivedMail {
  from: string
  to: string[]
  raw: string
  encrypted: boolean
}

const buildRejection = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** Starts a server that stores incoming mails. */
async function startServer(options: SMTPServerOptions = {}) {
  const receivedMails: ReceivedMail[] = []
  const commands: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onMailFrom: (_address, _session, callback) => {
      commands.push('MAIL')
      callback()
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        receivedMails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          encrypted: session.secure,
        })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise<void>((resolve) => server.close(resolve)))
  return { receivedMails, commands, port: (server.server.address() as AddressInfo).port }
}

function connect(url: string, overrides: Partial<SmtpOptions> = {}) {
  const provider = createSmtpMailProvider({ url, from: 'Tern <no-reply@tern.example>', ...overrides })
  cleanups.push(() => provider.close())
  return provider
}

const mail: Mail = {
  to: 'ana@example.com',
  subject: 'Grüße from Tern',
  text: 'Plain words: https://tern.example/verify-email?token=abc',
  html: '<p>Rich <b>words</b></p>',
  idempotencyKey: '0192f0c1-0000-7000-8000-000000000001',
}

const readHeaders = (raw: string): string[] =>
  (raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
const listHeaderNames = (raw: string): string[] =>
  readHeaders(raw).map((line) => line.split(':')[0]?.toLowerCase() ?? '')

test('a mail arrives in both forms, under a Message-ID that a repetition shares', async () => {
  const server = await startServer()
  const provider = connect(`smtp://localhost:${server.port}`)
  const id = `<${mail.idempotencyKey}@tern.example>`
  expect(await provider.send(mail)).toEqual({ status: 'sent', id })
  expect(await provider.send(mail)).toEqual({ status: 'sent', id })
  expect(server.receivedMails).toHaveLength(2)
  for (const { from, to, raw } of server.receivedMails) {
    expect({ from, to }).toEqual({ from: 'no-reply@tern.example', to: ['ana@example.com'] })
    expect(readHeaders(raw)).toEqual(
      expect.arrayContaining([
        `Message-ID: ${id}`,
        'From: Tern <no-reply@tern.example>',
        'Auto-Submitted: auto-generated',
      ]),
    )
    expect(raw).toMatch(/text\/plain[\s\S]*Plain words[\s\S]*text\/html[\s\S]*<p>Rich <b>words<\/b><\/p>/)
  }
})

test.each([
  [
    'recipient',
    'RCPT TO',
    { onRcptTo: (_a, _s, callback) => callback(buildRejection(550, '5.7.1 ana@example.com unknown')) },
  ],
  [
    'content',
    'DATA',
    {
      onData: (stream, _s, callback) => {
        stream.resume()
        stream.on('end', () => callback(buildRejection(554, '5.7.1 bad link token=abc')))
      },
    },
  ],
] satisfies [string, string, SMTPServerOptions][])(
  'a %s that the server refuses permanently is refused, without its message',
  async (_case, command, behaviour) => {
    const server = await startServer(behaviour)
    const result = await connect(`smtp://127.0.0.1:${server.port}`).send(mail)
    expect(result).toMatchObject({
      status: 'refused',
      reason: expect.stringMatching(new RegExp(`^The mail server answered 55[04] 5\\.7\\.1 to ${command}$`)),
    })
  },
)

test.each([
  ['is busy', { onRcptTo: (_a, _s, callback) => callback(buildRejection(451, '4.7.1 greylisted')) }],
  [
    'does not take us as a sender',
    { onMailFrom: (_a, _s, callback) => callback(buildRejection(550, '5.7.1 blocked')) },
  ],
  ['wants a password', { onMailFrom: (_a, _s, callback) => callback(buildRejection(530, '5.7.0 log in first')) }],
  ['turns everybody away', { onConnect: (_s, callback) => callback(buildRejection(554, 'no service')) }],
] satisfies [string, SMTPServerOptions][])('a server that %s leaves the outcome unknown', async (_case, behaviour) => {
  const server = await startServer(behaviour)
  const result = await connect(`smtp://127.0.0.1:${server.port}`).send(mail)
  expect(result.status).toBe('unknown')
  expect(server.receivedMails).toHaveLength(0)
})

test('a wrong password leaves the outcome unknown', async () => {
  const server = await startServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, callback) =>
      username === 'te/rn' && password === 's:e@cret'
        ? callback(null, { user: 1 })
        : callback(buildRejection(535, '5.7.8 wrong')),
  })
  const invalidResult = await connect(`smtp://te%2Frn:nope@localhost:${server.port}`).send(mail)
  expect(invalidResult).toEqual({ status: 'unknown', fault: 'configuration', reason: expect.stringContaining('535') })
  expect(JSON.stringify(invalidResult)).not.toContain('nope')
  const validResult = await connect(`smtp://te%2Frn:s%3Ae%40cret@localhost:${server.port}`).send(mail)
  expect(validResult.status).toBe('sent')
})

/** Below the mail library's own timeout, and far above ours even on a busy machine. */
const responseLimitMs = 20_000

test.each([
  ['before it greets', ''],
  ['after it greets', '220 hello\r\n'],
])('a server that falls silent %s times out', async (_case, greeting) => {
  const silentServer = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.write(greeting)
  })
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => silentServer.close())
  const { port } = silentServer.address() as AddressInfo
  const startedAt = Date.now()
  const result = await connect(`smtp://127.0.0.1:${port}`, { timeoutMs: 300 }).send(mail)
  expect(result).toMatchObject({ status: 'unknown' })
  expect(Date.now() - startedAt).toBeLessThan(responseLimitMs)
})

test('a server that keeps sending without an answer times out', async () => {
  const talkingServer = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.write('220 hello\r\n')
    const talkTimer = setInterval(() => socket.write('250-and another thing\r\n'), 50)
    socket.on('close', () => clearInterval(talkTimer))
  })
  await new Promise<void>((resolve) => talkingServer.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => talkingServer.close())
  const { port } = talkingServer.address() as AddressInfo
  const result = await connect(`smtp://127.0.0.1:${port}`, { timeoutMs: 500 }).send(mail)
  expect(result.status).toBe('unknown')
}, 60_000)

test('a server that accepts the mail without confirming leaves the outcome unknown', async () => {
  const server = await startServer({ onData: (stream) => void stream.resume() })
  const result = await connect(`smtp://127.0.0.1:${server.port}`, { timeoutMs: 500 }).send(mail)
  expect(result.status).toBe('unknown')
})

test('an unreachable server leaves the outcome unknown', async () => {
  expect(await connect('smtp://127.0.0.1:9').send(mail)).toMatchObject({ status: 'unknown' })
})

test('headers cannot be injected', async () => {
  const server = await startServer()
  const provider = connect(`smtp://127.0.0.1:${server.port}`)
  expect(
    await provider.send({ ...mail, subject: 'Hello\r\nBcc: thief@evil.example\r\n\r\n<b>mine</b>\0' }),
  ).toMatchObject({ status: 'sent' })
  expect(listHeaderNames(server.receivedMails[0]?.raw ?? '')).not.toContain('bcc')
  expect(server.receivedMails[0]?.to).toEqual(['ana@example.com'])
  expect(server.receivedMails[0]?.raw).toContain('Subject: Hello Bcc: thief@evil.example <b>mine</b>')
})

test.each([
  'ana@example.com, thief@evil.example',
  'ana@example.com\r\nBcc: thief@evil.example',
  'ana@example.com>\r\nRCPT TO:<thief@evil.example',
  '<ana@example.com>',
  'Ana <ana@example.com>',
  'group: ana@example.com;',
  'ana',
  '',
])('%j is no address', async (to) => {
  const server = await startServer()
  const result = await connect(`smtp://127.0.0.1:${server.port}`).send({ ...mail, to })
  expect(result).toEqual({ status: 'refused', reason: 'This is no mail address' })
  expect(server.commands).toEqual([])
})

test('mail to another host is sent encrypted or not at all', async () => {
  const plainServer = await startServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS', 'AUTH'] })
  // Address that reaches this machine without being one of its names.
  expect(await connect(`smtp://0.0.0.0:${plainServer.port}`).send(mail)).toMatchObject({ status: 'unknown' })
  expect(plainServer.commands).toEqual([])
  expect(await connect(`smtp://127.0.0.1:${plainServer.port}`).send(mail)).toMatchObject({ status: 'sent' })

  const selfSignedServer = await startServer()
  expect(await connect(`smtp://0.0.0.0:${selfSignedServer.port}`).send(mail)).toMatchObject({ status: 'unknown' })
  expect(selfSignedServer.commands).toEqual([])

  const secureServer = await startServer({ secure: true })
  expect(await connect(`smtps://0.0.0.0:${secureServer.port}`).send(mail)).toMatchObject({ status: 'unknown' })
  expect(secureServer.commands).toEqual([])
  expect(await connect(`smtps://localhost:${secureServer.port}`).send(mail)).toMatchObject({ status: 'sent' })
  expect(secureServer.receivedMails[0]?.encrypted).toBe(true)
})
