import { prices } from '#messages/site/prices/price-list.ts'

const { cardMoney } = prices

/** The card-money rule in one line; the server fills in the wait, and the operator's fee if there is one. */
export function CardMoneyText() {
  return (
    <>
      {cardMoney.toPeople}{' '}
      <span data-with="card-money" hidden>
        {cardMoney.toBank} <b data-value="card-money-wait" />
        <i data-without="card-fee">, {cardMoney.free}</i>
        <i data-with="card-fee" hidden>
          . {cardMoney.within} <b data-value="card-fee-days" /> {cardMoney.costs} <b data-value="card-fee" />.
        </i>
      </span>
    </>
  )
}
