import { useQuery } from '@tanstack/react-query'
import { barPart, chart } from '@tern/contract/chart/sheet'
import { type Land, readLand, type Size } from '@tern/contract/chart/globe'
import landAddress from '@tern/contract/chart/land.json?url'
import type { ReceiptMap } from '@tern/contract/receipt/receipt-sheet'
import { useEffect, useRef, useState } from 'react'
import { receipt as texts } from '#messages/receipt/words.ts'
import { formatCount } from '../../../ui/format/format-count.ts'
import { ChartSvg } from './ChartSvg.tsx'
import { ScaleLine } from './ScaleLine.tsx'

/** The land of all charts; other maps of the product read the same. */
export const landQuery = {
  queryKey: ['land'],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Land> =>
    readLand((await (await fetch(landAddress, { signal })).json()) as number[][]),
  staleTime: Infinity,
  retry: false,
}

const distanceText = (km: number): string => texts.distance({ count: formatCount(km) })

/** The chart of a receipt at this size. */
export const chartOf = (map: ReceiptMap, size: Size, land: Land, names: { nameSize: number; noteSize?: number }) =>
  chart({ ...map, size, land, distanceText, compass: texts.compass, ...names })

/** Sheets are drawn for these widths, so that lettering is never scaled by much: a phone, a tablet, the rest. */
const sizes: readonly Size[] = [
  { width: 358, height: 300 },
  { width: 688, height: 400 },
  { width: 1036, height: 448 },
]

/** The largest drawing that has room in this width. */
const sizeFor = (width: number): Size | undefined => sizes.findLast((size) => size.width <= width + 24) ?? sizes[0]

/** The map of a receipt with its scale bar, as large as there is room. */
export function ReceiptChart({ map }: { map: ReceiptMap }) {
  const land = useQuery(landQuery)
  const place = useRef<HTMLElement>(null)
  const [size, setSize] = useState<Size>()
  useEffect(() => {
    if (!place.current) return
    const watcher = new ResizeObserver(([entry]) => entry && setSize(sizeFor(entry.contentRect.width)))
    watcher.observe(place.current)
    return () => watcher.disconnect()
  }, [])
  const names = { nameSize: size && size.width > 400 ? 22 : 18 }
  return (
    <figure className="sheet-map" ref={place}>
      {size && (land.data || land.isError) ? (
        <>
          <ChartSvg chart={chartOf(map, size, land.data ?? [], names)} label={map.sentence} />
          <ScaleLine map={map} width={size.width} part={barPart(map.isRoute, size)} />
        </>
      ) : (
        <div className="sheet-map-place" aria-busy="true" />
      )}
    </figure>
  )
}
