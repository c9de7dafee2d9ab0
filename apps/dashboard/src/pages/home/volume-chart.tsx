import type { ReactNode } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Usd } from '../../parts/amount.tsx';
import type { DaySum } from './day-sums.ts';
import { compareUsd } from './day-sums.ts';
import { useDayText } from './day-table.tsx';

const NARROW = 480;
const TICKS_WIDE = 5;
const TICKS_NARROW = 3;
const AXIS_WIDTH = 48;
const GRID_LINES = 3;
const CORNER = 2;
const MAX_BAR = 40;
const HATCH = 5;
/** Room for half of the last day's label. */
const MARGIN = { top: 8, right: 14, bottom: 0, left: 0 };
/** The axis has the same digits in every language. */
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });

/** The laid-out size of an element: the box has it before the chart is there. */
function useSize(): { ref: (element: HTMLElement | null) => void; width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const observer = useRef<ResizeObserver>(undefined);
  useEffect(() => () => observer.current?.disconnect(), []);
  const ref = useRef((element: HTMLElement | null) => {
    observer.current?.disconnect();
    if (!element) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    observer.current = new ResizeObserver(measure);
    observer.current.observe(element);
    measure();
  });
  return { ref: ref.current, ...size };
}

type Point = DaySum & { height: number };
type ShapeProps = { x?: number; y?: number; width?: number; height?: number; payload?: Point };

/** One day. An unfinished one is hatched with a dashed edge. */
function DayBar({ shape, today, hatch }: { shape: ShapeProps; today: string; hatch: string }): ReactNode {
  const { x = 0, y = 0, width = 0, height = 0, payload } = shape;
  const isOpen = payload?.day === today;
  return (
    <rect
      className={isOpen ? 'bar-open' : 'bar'}
      x={x}
      y={y}
      width={Math.max(0, width)}
      height={Math.max(0, height)}
      rx={CORNER}
      {...(isOpen && { fill: `url(#${hatch})` })}
    />
  );
}

function Tip({ day, today }: { day: Point | undefined; today: string }): ReactNode {
  const t = useWords();
  const dayText = useDayText();
  if (!day) return null;
  return (
    <div className="chart-tip">
      <span className="quiet">{day.day === today ? t('home.todaySoFar') : dayText(day.day)}</span>
      <strong>
        <Usd amount={day.volume} />
      </strong>
    </div>
  );
}

function ticksOf(days: readonly DaySum[], most: number): string[] {
  const step = Math.max(1, Math.ceil(days.length / most));
  return days.filter((_day, index) => (days.length - 1 - index) % step === 0).map(({ day }) => day);
}

/** A sentence that describes the chart. */
function useSentence(days: readonly DaySum[], today: string): string {
  const t = useWords();
  const { usd } = useMoney();
  const dayText = useDayText();
  const closed = days.filter(({ day }) => day !== today);
  const sorted = closed.toSorted((left, right) => compareUsd(left.volume, right.volume));
  return t('home.chartText', {
    from: dayText(days[0]?.day ?? today),
    to: dayText(today),
    least: usd(sorted[0]?.volume ?? '0'),
    most: usd(sorted.at(-1)?.volume ?? '0'),
    today: usd(days.at(-1)?.volume ?? '0'),
  });
}

/** Payments per day as bars, sized by the style sheet. Time runs left to right in every language. */
export function VolumeChart({ days, today }: { days: readonly DaySum[]; today: string }): ReactNode {
  const t = useWords();
  const hatch = useId();
  const dayText = useDayText();
  const sentence = useSentence(days, today);
  const { ref, width, height } = useSize();
  // Only heights are floats; every shown figure is the exact text.
  const points = days.map((day): Point => Object.assign({ height: Number(day.volume) }, day));
  const ticks = ticksOf(days, width < NARROW ? TICKS_NARROW : TICKS_WIDE);
  return (
    <div className="chart-box" ref={ref} role="img" aria-label={sentence} dir="ltr">
      {width > 0 && (
        <BarChart
          className="chart"
          width={width}
          height={height}
          data={points}
          margin={MARGIN}
          accessibilityLayer={false}
        >
          <defs>
            <pattern
              id={hatch}
              width={HATCH}
              height={HATCH}
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect className="hatch-ground" width={HATCH} height={HATCH} />
              <rect className="hatch-line" width={2} height={HATCH} />
            </pattern>
          </defs>
          <CartesianGrid vertical={false} className="grid-line" />
          <XAxis
            dataKey="day"
            ticks={ticks}
            interval={0}
            axisLine={false}
            tickLine={false}
            tickFormatter={(day: string) => (day === today ? t('time.today') : dayText(day))}
          />
          <YAxis
            width={AXIS_WIDTH}
            tickCount={GRID_LINES}
            axisLine={false}
            tickLine={false}
            tickFormatter={(value: number) => `$${COMPACT.format(value).toLowerCase()}`}
          />
          <Tooltip
            cursor={false}
            isAnimationActive={false}
            content={({ payload }) => <Tip day={payload[0]?.payload as Point | undefined} today={today} />}
          />
          <Bar
            dataKey="height"
            isAnimationActive={false}
            maxBarSize={MAX_BAR}
            shape={(shape: ShapeProps) => <DayBar shape={shape} today={today} hatch={hatch} />}
          />
        </BarChart>
      )}
    </div>
  );
}
