import type { words as english } from '../en/lists.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'filter.clear': '清除筛选',
  'filter.clearOne': '清除筛选“{name}”',
  'filter.named': '{name}：',
  'filter.none': '没有符合的结果',
  'filter.noneAbout': '已设置 {count, plural, other {#}} 个筛选条件，范围之外的内容不显示。',
  'filter.title': '筛选',
  'pager.newer': '较新',
  'pager.older': '较早',
  'pager.title': '列表分页',
  'pager.zone': '时间为 {zone}',
  'status.arrived': '已过期，有款到账',
  'status.completed': '已完成',
  'status.expired': '已过期',
  'status.late': '逾期完成',
  'status.processing': '处理中',
  'status.waiting': '等待付款',
};
