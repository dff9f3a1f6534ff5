import '../../../css/site/how-it-works.css'
import { howItWorks } from '#messages/site/how-it-works.ts'
import type { IconName } from '../../../ui/icon/icons.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { CardMoneyText } from '../CardMoneyText.tsx'
import { ClosingCall } from '../frame/ClosingCall.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { exampleAmounts, TransferSteps } from './TransferSteps.tsx'
import { Technology } from './Technology.tsx'
import { ThreeColumns } from './ThreeColumns.tsx'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, howItWorks.description)

/** One transfer from start to end, its technology, and its benefits. */
export default function HowItWorksPage() {
  return (
    <>
      <main id="main">
        <section className="site-width page-head">
          <h1 className="display-xl max-w-[13ch]">{howItWorks.headline}</h1>
          <p className="lead">{howItWorks.lead(exampleAmounts.sent)}</p>
        </section>
        <TransferSteps />
        <Technology />
        <Benefits />
        <section className="site-width band grid grid-cols-[1fr_1fr] gap-16 pt-0 max-md:gap-12 max-sm:grid-cols-1">
          <Features {...howItWorks.individuals} icons={['person', 'receive', 'wallet']} />
          <Features {...howItWorks.businesses} icons={['send', 'receive', 'list']} />
        </section>
        <ClosingCall hasWaterBackground />
      </main>
      <PageScript name="site" />
    </>
  )
}

function Benefits() {
  return (
    <section className="site-width band">
      <h2 className="display-l">{howItWorks.benefits}</h2>
      <ThreeColumns texts={howItWorks.benefitList} />
      <p className="muted mt-10 max-w-[76ch] [&_i]:not-italic [&_b]:font-medium">
        <b>{howItWorks.cardMoney}:</b> <CardMoneyText />
      </p>
    </section>
  )
}

interface FeaturesProps {
  title: string
  text: string
  list: readonly { readonly title: string; readonly text: string }[]
  icons: readonly IconName[]
}

function Features({ title, text, list, icons }: FeaturesProps) {
  return (
    <div>
      <h2 className="display-m">{title}</h2>
      <p className="lead mt-2 mb-6">{text}</p>
      <ul>
        {list.map((feature, index) => (
          <li
            className="grid grid-cols-[24px_1fr] gap-4 border-t py-4 first:border-t-ink [&_.icon]:mt-0.5 [&_.icon]:text-sea"
            key={feature.title}
          >
            <Icon name={icons[index] ?? 'check'} />
            <div>
              <h3 className="font-medium">{feature.title}</h3>
              <p className="muted">{feature.text}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
