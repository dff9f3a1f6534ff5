import '../../../css/site/how-it-works.css'
import { howItWorks } from '#messages/site/how-it-works.ts'
import type { IconName } from '../../../ui/icon/icons.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { CardMoneyText } from '../CardMoneyText.tsx'
import { ClosingCall } from '../frame/ClosingCall.tsx'
import { PageScript } from '../frame/PageScript.tsx'
import { siteMeta } from '../site-meta.ts'
import { crossing, Road } from './Road.tsx'
import { Technology } from './Technology.tsx'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, howItWorks.description)

/** One transfer from the first step to the last, the technology behind it, and its benefits. */
export default function HowItWorksPage() {
  return (
    <>
      <main id="main">
        <section className="site-width page-head">
          <h1 className="display-xl">{howItWorks.headline}</h1>
          <p className="lead">{howItWorks.lead(crossing.sent)}</p>
        </section>
        <Road />
        <Technology />
        <Benefits />
        <section className="site-width band features">
          <Features {...howItWorks.individuals} icons={['person', 'receive', 'wallet']} />
          <Features {...howItWorks.businesses} icons={['send', 'receive', 'list']} />
        </section>
        <ClosingCall isOnWater />
      </main>
      <PageScript name="site" />
    </>
  )
}

function Benefits() {
  return (
    <section className="site-width band">
      <h2 className="display-l">{howItWorks.benefits}</h2>
      <div className="three">
        {howItWorks.benefitList.map(({ title, text }) => (
          <div key={title}>
            <h3 className="display-s">{title}</h3>
            <p className="muted">{text}</p>
          </div>
        ))}
      </div>
      <p className="muted card-money">
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
      <p className="lead">{text}</p>
      <ul>
        {list.map((feature, index) => (
          <li key={feature.title}>
            <Icon name={icons[index] ?? 'check'} />
            <div>
              <h3>{feature.title}</h3>
              <p className="muted">{feature.text}</p>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}
