import '../../css/flight.css'
import '../../css/demo.css'
import '../../css/timeline.css'
import type { ReactNode } from 'react'
import { demo } from '#messages/site/demo.ts'
import { TamperingDemo } from './TamperingDemo.tsx'
import { Currencies } from './Currencies.tsx'
import { Flight } from './Flight.tsx'
import { Withdrawal } from './Withdrawal.tsx'

/** Four interactive samples of the product; no money is involved. */
export default function Demo() {
  return (
    <>
      <h1 className="display-m">{demo.title}</h1>
      <p className="muted">{demo.lead}</p>
      <div className="demo border-t border-t-ink grid grid-cols-[1fr_1fr] mt-8 max-xl:grid-cols-1">
        <Card id="secure-payments" title={demo.secure.title}>
          <TamperingDemo />
        </Card>
        <Card id="instant-transfers" title={demo.instant.title}>
          <Flight />
        </Card>
        <Card id="multi-currency" title={demo.currencies.title}>
          <Currencies />
        </Card>
        <Card id="smart-banking" title={demo.banking.title}>
          <Withdrawal />
        </Card>
      </div>
    </>
  )
}

function Card({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 className="display-s" id={`${id}-title`}>
        {title}
      </h2>
      {children}
    </section>
  )
}
