import { useQuery } from '@tanstack/react-query'
import { type DeskPosition, readTreasury } from '@tern/contract/desk/watch'
import { watch } from '@tern/messages/en/desk/watch'
import { formatMoney } from '@tern/web/ui/format/format.ts'
import { call, queryKeys } from '../app/client.ts'
import { QueryView } from '../app/QueryView.tsx'
import { Page, ScrollArea } from './Page.tsx'

const texts = watch.treasury

/** Read-only page with positions, commitments at open prices, limits and open orders. */
export function TreasuryPage() {
  const query = useQuery({ queryKey: queryKeys.treasury, queryFn: ({ signal }) => call(readTreasury, {}, signal) })
  const { data } = query
  return (
    <Page title={texts.title} text={texts.text}>
      <QueryView query={query} />
      {data && (
        <>
          <Positions positions={data.positions} />
          <p className="mt-3">
            {texts.locked(formatMoney(data.locked.usd, 'USD'), formatMoney(data.locked.max, 'USD'))}
          </p>
          <h2>{texts.orders}</h2>
          {data.orders.length === 0 && <p className="muted">{texts.noOrders}</p>}
          <ul>
            {data.orders.map(({ id, provider, sells, buys, ordered_by: by }) => (
              <li key={id} className="border-t py-1.75">
                {texts.order(provider, sells, buys, by)}
              </li>
            ))}
          </ul>
        </>
      )}
    </Page>
  )
}

function Positions({ positions }: { positions: readonly DeskPosition[] }) {
  const columns = [texts.position, texts.inUsd, texts.incoming, texts.outgoing, texts.long, texts.short, texts.flatten]
  return (
    <ScrollArea label={texts.title}>
      <table className="dk-table">
        <thead>
          <tr>
            {[texts.currency, ...columns].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {positions.map((position) => (
            <Position key={position.currency} {...position} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  )
}

function Position({ currency, position, usd, incoming, outgoing, limits }: DeskPosition) {
  const formatOwn = (amount: string | undefined) =>
    amount === undefined ? texts.unknown : formatMoney(amount, currency, { unit: 'none' })
  return (
    <tr>
      <th scope="row">{currency}</th>
      <td>{formatOwn(position)}</td>
      <td>{usd === null ? texts.unknown : formatMoney(usd, 'USD')}</td>
      <td>{formatOwn(incoming)}</td>
      <td>{formatOwn(outgoing)}</td>
      <td>{formatOwn(limits?.long)}</td>
      <td>{formatOwn(limits?.short)}</td>
      <td>{formatOwn(limits?.flatten_above)}</td>
    </tr>
  )
}
