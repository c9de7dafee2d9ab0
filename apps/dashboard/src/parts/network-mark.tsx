import type { ReactNode } from 'react';
import { markId, networkOf } from '../api/networks.ts';

/** Marks of networks as drawn by their owners, always with the name beside. */

const MARKS: Readonly<Record<string, ReactNode>> = {
  BSC: (
    <>
      <path fill="#181A20" d="M0 0h32v32H0z" />
      <path
        fill="#F3BA2F"
        d="M12.116 14.404L16 10.52l3.886 3.886 2.26-2.26L16 6l-6.144 6.144 2.26 2.26zM6 16l2.26-2.26L10.52 16l-2.26 2.26L6 16zm6.116 1.596L16 21.48l3.886-3.886 2.26 2.259L16 26l-6.144-6.144-.003-.003 2.263-2.257zM21.48 16l2.26-2.26L26 16l-2.26 2.26L21.48 16zm-3.188-.002h.002V16L16 18.294l-2.291-2.29-.004-.004.004-.003.401-.402.195-.195L16 13.706l2.293 2.293z"
      />
    </>
  ),
  ETH: (
    <>
      <path fill="#627EEA" d="M0 0h32v32H0z" />
      <g fill="#FFF">
        <path fillOpacity=".602" d="M16.498 4v8.87l7.497 3.35z" />
        <path d="M16.498 4L9 16.22l7.498-3.35z" />
        <path fillOpacity=".602" d="M16.498 21.968v6.027L24 17.616z" />
        <path d="M16.498 27.995v-6.028L9 17.616z" />
        <path fillOpacity=".2" d="M16.498 20.573l7.497-4.353-7.497-3.348z" />
        <path fillOpacity=".602" d="M9 16.22l7.498 4.353v-7.701z" />
      </g>
    </>
  ),
  TRC20: (
    <>
      <path fill="#EF0027" d="M0 0h32v32H0z" />
      <path
        fill="#FFF"
        d="M21.932 9.913L7.5 7.257l7.595 19.112 10.583-12.894-3.746-3.562zm-.232 1.17l2.208 2.099-6.038 1.093 3.83-3.192zm-5.142 2.973l-6.364-5.278 10.402 1.914-4.038 3.364zm-.453.934l-1.038 8.58L9.472 9.487l6.633 5.502zm.96.455l6.687-1.21-7.67 9.343.983-8.133z"
      />
    </>
  ),
  SOL: (
    <>
      <path fill="#15121f" d="M0 0h32v32H0z" />
      <path fill="#00FFA3" d="M10.6 8.400h14.2l-3.4 3.400H7.200z" />
      <path fill="#7ea9f5" d="M7.2 14.300h14.200l3.4 3.400H10.600z" />
      <path fill="#DC1FFF" d="M10.6 20.200h14.200l-3.4 3.400H7.200z" />
    </>
  ),
  POLYGON: (
    <>
      <path fill="#7B3FE4" d="M0 0h32v32H0z" />
      <g fill="none" stroke="#fff" strokeWidth="2.3" strokeLinejoin="round">
        <path d="M14.8 18.8 11.3 20.8 7.8 18.800v-4l3.5-2 3.5 2z" />
        <path d="M17.2 13.200v-4M24.2 13.200l-3.5 2-3.5-2v-4l3.5-2 3.5 2zM14.8 14.800l2.4-1.6" />
      </g>
    </>
  ),
  ARBITRUM: (
    <>
      <path fill="#213147" d="M0 0h32v32H0z" />
      <path fill="none" stroke="#9DCCED" strokeWidth="1.8" d="M16 5.4 25.2 10.700v10.600L16 26.6 6.8 21.300V10.700z" />
      <path fill="#fff" d="M14.4 10.600h2.300L12 22.400l-1.9-1.100zM18.2 10.600l4.2 10.4-1.9 1.1-3.4-8.400z" />
    </>
  ),
  OPTIMISM: (
    <>
      <path fill="#FE0420" d="M0 0h32v32H0z" />
      <g fill="none" stroke="#fff" strokeWidth="2.6">
        <ellipse cx="10.8" cy="16" rx="3.7" ry="4.3" />
        <path d="M18.4 21.600V11.800h3.400a3 3 0 0 1 0 6h-3.4" />
      </g>
    </>
  ),
  BASE: (
    <>
      <path fill="#0000FF" d="M0 0h32v32H0z" />
      <rect x="8.5" y="8.5" width="15" height="15" rx="1.6" fill="#fff" />
    </>
  ),
  AVAX: (
    <>
      <path fill="#E84142" d="M0 0h32v32H0z" />
      <path fill="#fff" d="M16 7 19.2 12.8 13.2 24H6.400zM21.6 16.8 25.6 24h-8z" />
    </>
  ),
  'EXCHANGE_PAY:BINANCE': (
    <>
      <path fill="#F3BA2F" d="M0 0h32v32H0z" />
      <path
        fill="#181A20"
        d="M12.116 14.404L16 10.520l3.886 3.886 2.260-2.260L16 6l-6.144 6.144 2.260 2.260zM6 16l2.260-2.260L10.520 16l-2.260 2.260L6 16zm6.116 1.596L16 21.480l3.886-3.886 2.260 2.259L16 26l-6.144-6.144-.003-.003 2.263-2.257zM21.480 16l2.260-2.260L26 16l-2.260 2.260L21.480 16zM13.7 16 16 13.7 18.3 16 16 18.300z"
      />
    </>
  ),
  'EXCHANGE_PAY:OKX': (
    <>
      <path fill="#111" d="M0 0h32v32H0z" />
      <path fill="#fff" d="M7 7h6v6H7zM19 7h6v6h-6zM13 13h6v6h-6zM7 19h6v6H7zM19 19h6v6h-6z" />
    </>
  ),
};

/** A network's mark, if it has one. */
export const networkMarkOf = (id: string): ReactNode => MARKS[markId(id)];

export function NetworkMark({ id }: { id: string }): ReactNode {
  const mark = networkMarkOf(id);
  if (mark === undefined) {
    return (
      <span className="logo" aria-hidden="true">
        {networkOf(id).name.slice(0, 1)}
      </span>
    );
  }
  return (
    <svg className="mk mk-net mk-32" viewBox="0 0 32 32" aria-hidden="true">
      {mark}
    </svg>
  );
}
