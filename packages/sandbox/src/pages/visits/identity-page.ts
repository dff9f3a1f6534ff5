import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { html } from '../html.ts'
import { layout } from '../layout.ts'
import { merchantMarkup, sendStep } from '../visit.ts'
import { ApiError } from '../../server/api.ts'
import type { Reviewer } from '../../identity/reviewer.ts'

const renderPage = (merchant: string): string =>
  layout({
    title: `Identity check · ${merchant} · Tern Sandbox`,
    body: html`<main class="checkout linking">
      <section class="order">
        ${merchantMarkup(merchant)}
        <h1><span class="title">Identity check</span></h1>
        <p class="description">A real provider takes photos of your document and your face here.</p>
      </section>
      <section class="card" aria-labelledby="step-title">
        <h2 id="step-title">Your document</h2>
        <p class="chosen">The sandbox takes no photos. Choose the result of the check.</p>
        <form class="actions" method="post">
          <button class="primary" type="submit" name="how" value="done">Everything is fine</button>
          <button class="secondary" type="submit" name="how" value="unreadable">The document is blurred</button>
        </form>
      </section>
    </main>`,
  })

/** Registers the hosted page of identity checks. Its address is valid once. */
export async function identityPages(
  app: FastifyInstance,
  { reviewer, merchant }: { reviewer: Reviewer; merchant: string },
): Promise<void> {
  await app.register(formbody, { bodyLimit: 10_000 })
  const createUsedError = () => new ApiError(404, 'not_found', 'This page was already used. Go back and open it again.')

  app.get<{ Params: { key: string } }>('/identity/:key', (request, reply) => {
    const check = reviewer.ofPage(request.params.key)
    if (!check) throw createUsedError()
    return sendStep(reply, check.returnUrl, renderPage(merchant))
  })
  app.post<{ Params: { key: string }; Body: Record<string, unknown> | undefined }>(
    '/identity/:key',
    (request, reply) => {
      const { key } = request.params
      const result = request.body?.['how'] === 'unreadable' ? 'unreadable' : 'done'
      const returnUrl = reviewer.finishPage(key, result)
      if (returnUrl === undefined) throw createUsedError()
      return reply.redirect(returnUrl, 303)
    },
  )
}
