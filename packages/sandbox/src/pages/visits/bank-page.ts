import formbody from '@fastify/formbody'
import type { FastifyInstance } from 'fastify'
import { buildAccounts, type Bank, banks, type HeldAccount } from '../../banks/banks.ts'
import { findChoice, type Link, linkReturnAddress, type Links } from '../../banks/links.ts'
import { html, type Html } from '../html.ts'
import { layout } from '../layout.ts'
import { type VisitResult, endMarkup, merchantMarkup, monogram, sendStep, readText } from '../visit.ts'

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })

interface Choice {
  href: string
  mark: string
  name: string
  note: string
}

const choices = (list: readonly Choice[]): Html =>
  html`<ul class="choices">
    ${list.map(
      ({ href, mark, name, note }) =>
        html`<li>
          <a href="${href}">
            ${monogram(mark)}<span><b>${name}</b><span class="effect digits">${note}</span></span>
          </a>
        </li>`,
    )}
  </ul>`

/** Card of one step, with its actions and a Cancel button. */
const stepMarkup = (step: { number: number; title: string; body: Html; actions: Html }): Html =>
  html`<section class="card" aria-labelledby="step-title">
    <p class="step">Step ${step.number} of 3</p>
    <h2 id="step-title">${step.title}</h2>
    ${step.body}
    <form class="actions" method="post">
      ${step.actions}<button class="secondary" type="submit" name="action" value="cancel">Cancel</button>
    </form>
  </section>`

const bankStep = (address: string): Html =>
  stepMarkup({
    number: 1,
    title: 'Choose your bank',
    body: choices(
      banks.map(({ slug, name, effect }) => ({ href: `${address}?bank=${slug}`, mark: name, name, note: effect })),
    ),
    actions: html``,
  })

const accountStep = (address: string, link: Link, bank: Bank): Html =>
  stepMarkup({
    number: 2,
    title: 'Choose an account',
    body: html`<p class="chosen">${bank.name}, ${link.holder_name}. <a href="${address}">Choose another bank</a></p>
      ${choices(
        buildAccounts(bank, link.user_reference, link.country).map(({ currency, last4 }) => ({
          href: `${address}?bank=${bank.slug}&account=${currency}`,
          mark: currency,
          name: currencyNames.of(currency) ?? currency,
          note: `${currency}, account ending in ${last4}`,
        })),
      )}`,
    actions: html``,
  })

function consentStep(
  address: string,
  link: Link,
  merchant: string,
  choice: { bank: Bank; account: HeldAccount },
): Html {
  const { bank, account } = choice
  return stepMarkup({
    number: 3,
    title: `Share this account with ${merchant}`,
    body: html`<p class="chosen">
        ${bank.name}, ${account.currency} account ending in <span class="digits">${account.last4}</span>,
        ${link.holder_name}.
        <a href="${address}?bank=${bank.slug}">Choose another account</a>
      </p>
      <p class="permits">${merchant} may:</p>
      <ul class="permissions">
        <li>see your name and the last four digits of the account</li>
        <li>take money from it, each time with your consent</li>
        <li>pay money to it</li>
      </ul>
      <p class="chosen">You can remove it at any time in your ${merchant} settings.</p>`,
    actions: html`<input type="hidden" name="bank" value="${bank.slug}" />
      <input type="hidden" name="account" value="${account.currency}" />
      <button class="primary" type="submit" name="action" value="allow">Allow</button>`,
  })
}

const results: Record<Exclude<Link['status'], 'open'>, VisitResult> = {
  linked: { title: 'Linked', message: 'Your account is linked.' },
  canceled: { title: 'Canceled', message: 'No account was linked.' },
  failed: { title: 'Not linked', message: 'Your bank did not answer. No account was linked.' },
  expired: { title: 'Expired', message: 'This took more than an hour, so it expired. No account was linked.' },
}

const introMarkup = (merchant: string): Html =>
  html`<section class="order">
    ${merchantMarkup(merchant)}
    <h1><span class="title">Link a bank account</span></h1>
    <p class="description">To add money from it and withdraw money to it.</p>
  </section>`

const hint = html`<details class="hint">
  <summary>Invented banks</summary>
  <p>
    Each bank shows one way a payment can turn out, and none asks for a password. Debits settle after 2 business days in
    your country and payouts arrive after 1 to 3, by the sandbox’s clock.
  </p>
</details>`

function bankPage(link: Link, merchant: string, chosen: { bank: string; account: string }): string {
  const address = `/banks/${link.id}`
  const { bank, account } = findChoice(link, chosen.bank, chosen.account)
  const result = link.status === 'open' ? undefined : results[link.status]
  const step = (): { title: string; card: Html } => {
    if (result) return { title: result.title, card: endMarkup(result, linkReturnAddress(link), merchant) }
    if (!bank) return { title: 'Choose your bank', card: bankStep(address) }
    if (!account) return { title: 'Choose an account', card: accountStep(address, link, bank) }
    return { title: 'Share your account', card: consentStep(address, link, merchant, { bank, account }) }
  }
  const { title, card } = step()
  const body = html`<main class="checkout linking">${introMarkup(merchant)}${card}${result ? null : hint}</main>`
  return layout({ title: `${title} · ${merchant} · Tern Sandbox`, body })
}

/**
 * Registers the hosted pages for linking a bank account. They work without JavaScript: each step has its own address.
 */
export async function bankPages(
  app: FastifyInstance,
  { links, merchant }: { links: Links; merchant: string },
): Promise<void> {
  await app.register(formbody, { bodyLimit: 10_000 })

  app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>('/banks/:id', (request, reply) => {
    const { bank, account } = request.query
    const link = links.find(request.params.id)
    return sendStep(
      reply,
      link.return_url,
      bankPage(link, merchant, { bank: readText(bank), account: readText(account) }),
    )
  })

  app.post<{ Params: { id: string }; Body: Record<string, unknown> | undefined }>('/banks/:id', (request, reply) => {
    const { id } = request.params
    const { action, bank, account } = request.body ?? {}
    if (action !== 'allow' && action !== 'cancel') return reply.redirect(`/banks/${id}`, 303)
    // A later visitor to an ended link must not get the secret, which identifies the holder to the product.
    const wasOpen = links.find(id).status === 'open'
    const link = action === 'allow' ? links.consent(id, readText(bank), readText(account)) : links.cancel(id)
    return reply.redirect(linkReturnAddress(link, wasOpen), 303)
  })
}
