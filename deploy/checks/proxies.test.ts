import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { callHttps, isInstalled, proxyNames, type ProxyName, type RunningProxy, startProxy } from './proxies.ts'

/** Starts two apps that answer alike, behind a proxy that reaches them. */
async function startBehind(name: ProxyName, answer: RequestListener): Promise<RunningProxy> {
  const apps = [0, 1].map(() =>
    createServer((request, response) => {
      if (request.url === '/readyz') response.end()
      else answer(request, response)
    }).listen(0, '127.0.0.1'),
  )
  await Promise.all(apps.map((app) => once(app, 'listening')))
  const [one = '', other = ''] = apps.map((app) => `http://127.0.0.1:${(app.address() as AddressInfo).port}`)
  const proxy = await startProxy(name, [one, other])
  onTestFinished(async () => {
    await proxy.close()
    for (const app of apps) {
      app.closeAllConnections()
      app.close()
    }
  })
  await vi.waitFor(() => callHttps(`${proxy.url}/readyz`, proxy), { timeout: 20_000, interval: 50 })
  return proxy
}

describe.each(proxyNames.filter(isInstalled))('%s', (name) => {
  test('an order that is answered with 503 reaches one app, once', async () => {
    let calls = 0
    const { url, ca } = await startBehind(name, (_request, response) => {
      calls += 1
      response.writeHead(503).end('down')
    })
    expect(await callHttps(`${url}/api/payment/deposit`, { ca, method: 'POST' })).toMatchObject({
      status: 503,
      text: 'down',
    })
    expect(calls).toBe(1)
  })

  test('a file that only one app has is found, and only files are asked for again', async () => {
    const ports = new Set<number>()
    const { url, ca } = await startBehind(name, ({ url: target, socket }, response) => {
      const { localPort = 0 } = socket
      ports.add(localPort)
      const isUpgraded = localPort === Math.max(...ports) && ports.size > 1
      response.writeHead(target === '/assets/new.js' && isUpgraded ? 200 : 404).end()
    })
    // Both apps have been asked for something else first.
    for (let turn = 0; ports.size < 2 && turn < 20; turn += 1) {
      expect((await callHttps(`${url}/api/nothing`, { ca })).status).toBe(404)
    }
    const answers = Array.from({ length: 8 }, () => callHttps(`${url}/assets/new.js`, { ca }))
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect((await callHttps(`${url}/assets/missing.js`, { ca })).status).toBe(404)
  })

  test('event streams are passed on while they are open', async () => {
    const { url, ca } = await startBehind(name, (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n')
    })
    const request = https.get(`${url}/api/events`, { ca })
    const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
    const [chunk] = (await once(response, 'data')) as [Buffer]
    expect(chunk.toString()).toBe('data: first\n\n')
    request.destroy()
  })

  test('apps get the address of the caller, not what the caller claims', async () => {
    const { url, ca } = await startBehind(name, ({ headers }, response) => {
      response.end([headers['x-forwarded-for'], headers['x-forwarded-proto']].join(' '))
    })
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' }
    expect((await callHttps(`${url}/`, { ca, headers })).text).toBe('127.0.0.1 https')
  })

  test('a photo of ten megabytes arrives', async () => {
    const { url, ca } = await startBehind(name, (request, response) => {
      let size = 0
      request.on('data', (chunk: Buffer) => (size += chunk.length)).on('end', () => response.end(String(size)))
    })
    const body = Buffer.alloc(10 * 1024 * 1024)
    expect(await callHttps(`${url}/api/kyc/documents`, { ca, method: 'POST', body })).toMatchObject({
      status: 200,
      text: String(body.length),
    })
  })

  test('the API refuses plain HTTP instead of redirecting it', async () => {
    let calls = 0
    const { plainUrl } = await startBehind(name, (_request, response) => {
      calls += 1
      response.end()
    })
    for (const path of ['/api/user/login', '/api', '/api/?to=/send']) {
      const answer = await fetch(`${plainUrl}${path}`, { redirect: 'manual', headers: { authorization: 'Bearer x' } })
      expect([answer.status, answer.headers.get('location')], path).toEqual([403, null])
    }
    expect(calls).toBe(0)
  })

  test('TLS 1.2 is accepted only with forward secrecy and authenticated encryption', async () => {
    const { url, ca } = await startBehind(name, (_request, response) => response.end())
    const connect = (ciphers: string) =>
      new Promise<string>((resolve) => {
        const port = Number(new URL(url).port)
        const socket = tls.connect({ host: 'localhost', port, ca, ciphers, maxVersion: 'TLSv1.2' }, () => {
          resolve(socket.getCipher().standardName)
          socket.destroy()
        })
        socket.once('error', () => resolve('refused'))
      })
    expect(await connect('ECDHE-ECDSA-AES128-GCM-SHA256')).toBe('TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256')
    expect(await connect('ECDHE-ECDSA-AES128-SHA')).toBe('refused')
    expect(await connect('ECDHE-ECDSA-AES256-SHA384')).toBe('refused')
  })

  test("errors of the proxy's own have the security headers, and an app's headers are kept", async () => {
    const { url, ca } = await startBehind(name, ({ url: path }, response) => {
      if (path === '/broken') response.socket?.end('HTTP/1.1 200 OK\r\n: a header without a name\r\n\r\n')
      else response.setHeader('content-security-policy', "default-src 'self'").end()
    })
    const broken = await callHttps(`${url}/broken`, { ca })
    expect(broken.status).toBe(502)
    expect(broken.headers).toMatchObject({
      'strict-transport-security': 'max-age=63072000; includeSubDomains',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    expect((await callHttps(`${url}/`, { ca })).headers['content-security-policy']).toBe("default-src 'self'")
  })

  test('no query is logged', async () => {
    const { url, ca, readAccessLog } = await startBehind(name, (_request, response) => response.end())
    await callHttps(`${url}/verify-email?token=a-mailed-secret`, { ca })
    if (name === 'nginx') {
      await vi.waitFor(() => expect(readAccessLog()).toContain('GET /verify-email HTTP/1.1'), { timeout: 20_000 })
    }
    expect(readAccessLog()).not.toContain('a-mailed-secret')
  })

  test('plain HTTP redirects to TLS', async () => {
    const { plainUrl } = await startBehind(name, (_request, response) => response.end())
    const answer = await fetch(`${plainUrl}/send?to=ben`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([
      308,
      expect.stringMatching(/^https:\/\/localhost.*\/send\?to=ben$/),
    ])
  })
})
