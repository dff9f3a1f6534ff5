import { useState } from 'react'
import { demo } from '#messages/site/demo.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { convertToOthers, sampleCurrency } from './sample-rates.ts'

const maxDigits = 12

/** Converts a typed euro balance to the other fiat currencies of the product. */
export function Currencies() {
  const [amount, setAmount] = useState('930.00')
  const places = amount.split('.')[1]?.length ?? 0
  const isDisplayable = places <= 2 && amount.length <= maxDigits
  return (
    <>
      <p className="muted">{demo.currencies.lead}</p>
      <div className="demo-body flex-1 mt-5 sm:max-xl:mt-0">
        <MoneyField
          label={demo.currencies.label}
          currency={sampleCurrency}
          value={amount}
          onValueChange={setAmount}
          error={isDisplayable ? undefined : demo.currencies.invalid}
        />
        <ul className="columns-2 gap-8 mt-3 max-sm:columns-1">
          {convertToOthers(isDisplayable ? amount : '0').map(({ code, amount: converted }) => (
            <li className="border-b text-[0.9375rem] flex gap-3 justify-between py-2 break-inside-avoid" key={code}>
              <span className="muted">{code}</span>
              <b className="font-book tabular-nums min-w-0 wrap-anywhere">
                {isDisplayable ? formatMoney(converted, code) : '–'}
              </b>
            </li>
          ))}
        </ul>
      </div>
      <p className="demo-foot flex-wrap mt-3 [&_.button-ghost]:-ms-3.25 row tiny faint">{demo.currencies.note}</p>
    </>
  )
}
