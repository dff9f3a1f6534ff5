import type { Atlas } from '@tern/drawing/atlas'
import { useQuery } from '@tanstack/react-query'
import type { Size } from '@tern/drawing/globe'
import { chart } from '@tern/drawing/sheet'
import type { ReceiptMap } from '@tern/contract/receipt/receipt-sheet'
import { useEffect, useRef, useState } from 'react'
import { atlasQuery, noAtlas } from '../../../ui/maps/atlas-query.ts'
import { ChartSvg } from '../../../ui/maps/ChartSvg.tsx'

export const buildChart = (map: ReceiptMap, size: Size, atlas: Atlas, names: { nameSize: number; noteSize?: number }) =>
  chart({ ...map, size, atlas, ...names })

/** Fixed chart widths for phone, tablet and desktop, so that lettering is hardly scaled. */
const sizes: readonly Size[] = [
  { width: 358, height: 300 },
  { width: 688, height: 400 },
  { width: 1036, height: 448 },
]

const chooseSize = (width: number): Size | undefined => sizes.findLast((size) => size.width <= width + 24) ?? sizes[0]

const names = { nameSize: 14, noteSize: 12 }

/** Map of a receipt at the largest size that fits. */
export function ReceiptChart({ map }: { map: ReceiptMap }) {
  const atlas = useQuery(atlasQuery)
  const place = useRef<HTMLElement>(null)
  const [size, setSize] = useState<Size>()
  useEffect(() => {
    if (!place.current) return
    const watcher = new ResizeObserver(([entry]) => entry && setSize(chooseSize(entry.contentRect.width)))
    watcher.observe(place.current)
    return () => watcher.disconnect()
  }, [])
  return (
    <figure className="sheet-map" ref={place}>
      {size && (atlas.data || atlas.isError) ? (
        <ChartSvg chart={buildChart(map, size, atlas.data ?? noAtlas, names)} label={map.sentence} />
      ) : (
        <div className="sheet-map-place" aria-busy="true" />
      )}
    </figure>
  )
}
