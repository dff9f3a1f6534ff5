import type { Session } from '../cards/sessions.ts'
import { html, type Html } from './html.ts'

/** The bank's challenge form, which needs no script. */
export const challengeMarkup = (session: Session, merchant: string, amount: string): Html =>
  html`<section class="card challenge" aria-labelledby="challenge-title">
    <h2 id="challenge-title">Your bank asks you to confirm</h2>
    <p>
      Is it you who pays <strong>${amount}</strong> to ${merchant} with the card ending in
      <span class="digits">${session.last_four}</span>?
    </p>
    <p class="note">In the sandbox nobody checks who answers. A real bank would ask for a code or its app.</p>
    <form class="actions" method="post" action="/checkout/${session.id}">
      <button class="primary" type="submit" name="action" value="approve">Approve</button>
      <button class="secondary" type="submit" name="action" value="fail">Fail</button>
    </form>
  </section>`
