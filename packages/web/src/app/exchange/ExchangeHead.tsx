import '../../css/exchange-head.css'
import { Link, useLocation } from 'react-router'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../paths.ts'

/** The rooms of the exchange, each a page; a further one is a line here. */
const tabs: readonly { readonly to: string; readonly text: string }[] = [
  { to: paths.exchange, text: titles.exchange },
  { to: paths.orders, text: titles.orders },
  { to: paths.protection, text: titles.protection },
]

/** The title of the exchange, and the way between its rooms. */
export function ExchangeHead() {
  // Pages are made at addresses with a slash at the end.
  const here = useLocation().pathname.replace(/\/$/, '')
  return (
    <div className="exchange-head">
      <h1 className="display-m">{titles.exchange}</h1>
      <nav aria-label={texts.tabs}>
        {tabs.map(({ to, text }) => (
          <Link key={to} to={to} aria-current={to === here ? 'page' : undefined}>
            {text}
          </Link>
        ))}
      </nav>
    </div>
  )
}
