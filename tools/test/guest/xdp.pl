#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Attach a little XDP program for as long as this runs: xdp.pl DEV PROGRAM [NUMBER] [frags]
#
#	pass, drop, tx		always that verdict
#	trim BYTES		cut off so many, then pass
#	echo			send UDP back to where it came from, pass all else
#	redirect IFINDEX	bpf_redirect()
#	devmap IFINDEX		bpf_redirect_map()
#	cpumap CPU		the same, to a CPU
#
# Says "attached" when it is. A compiler and a loader for these few instructions would be
# more than this.
my %is;
BEGIN {	# where there are no modules
	%is = (
		BPF => 321, MAP_CREATE => 0, MAP_UPDATE => 2, PROG_LOAD => 5, LINK_CREATE => 28,
		TYPE_XDP => 6, ATTACH_XDP => 37, DEVMAP => 14, CPUMAP => 16, HAS_FRAGS => 32, DRV_MODE => 4,
		REDIRECT => 23, REDIRECT_MAP => 51, ADJUST_TAIL => 65,
	);
	for my $name (keys %is) {
		*$name = sub () { $is{$name} };
	}
}

sub bpf {
	my ($command, $attr) = @_;
	my $result = syscall(BPF, $command, $attr, length $attr);
	die "bpf command $command: $!\n" if $result < 0;
	return $result;
}

# What the kernel finds at an address must live until it has looked.
my @kept;
sub pointer {
	push @kept, shift;
	return unpack("Q", pack("P", $kept[-1]));
}

# Opcode, destination and source register, offset, number
sub insn { return pack("CCsl", $_[0], $_[1] | $_[2] << 4, @_[3, 4]); }
sub set { return insn(0xb7, $_[0], 0, 0, $_[1]); }	# a register to a number
sub call { return insn(0x85, 0, 0, 0, @_); }
sub leave { return insn(0x95, 0, 0, 0, 0); }

# Exchange what lies at two offsets of r2; of 4 or 2 bytes.
sub swap {
	my ($size, $one, $other) = @_;
	my $width = $size == 2 ? 8 : 0;
	return insn(0x61 | $width, 4, 2, $one, 0) . insn(0x61 | $width, 5, 2, $other, 0) .
		insn(0x63 | $width, 2, 5, $one, 0) . insn(0x63 | $width, 2, 4, $other, 0);
}

# Addresses and ports change places, which leaves the checksums right.
sub turn_round {
	my $turn = swap(4, 0, 6) . swap(2, 4, 10) . swap(4, 26, 30) . swap(2, 34, 36) .
		set(0, 3) . leave();
	my $skip = length($turn) / 8;
	return insn(0x61, 2, 1, 0, 0) . insn(0x61, 3, 1, 4, 0) .	# r2 = start, r3 = end
		insn(0xbf, 4, 2, 0, 0) . insn(0x07, 4, 0, 0, 42) .
		insn(0x2d, 4, 3, $skip + 4, 0) .			# too short?
		insn(0x69, 4, 2, 12, 0) . insn(0x55, 4, 0, $skip + 2, 8) .	# no IPv4?
		insn(0x71, 4, 2, 23, 0) . insn(0x55, 4, 0, $skip, 17) .	# no UDP?
		$turn . set(0, 2) . leave();
}

# Redirect to the only entry of a map.
sub through {
	my ($type, $key, $value) = @_;
	my $map = bpf(MAP_CREATE, pack("L5", $type, 4, 4, $key + 1, 0));
	bpf(MAP_UPDATE, pack("LLQQQ", $map, 0, pointer(pack("L", $key)), pointer(pack("L", $value)), 0));
	# r1 = map, 16 bytes long
	return insn(0x18, 1, 1, 0, $map) . insn(0, 0, 0, 0, 0) .
		set(2, $key) . set(3, 0) . call(REDIRECT_MAP) . leave();
}

my $frags = $ARGV[-1] eq "frags" ? pop : "";
my ($dev, $name, $number) = @ARGV;
my %programs = (
	drop => sub { set(0, 1) . leave() },
	pass => sub { set(0, 2) . leave() },
	tx => sub { set(0, 3) . leave() },
	trim => sub { set(2, -$number) . call(ADJUST_TAIL) . set(0, 2) . leave() },
	echo => \&turn_round,
	redirect => sub { set(1, $number) . set(2, 0) . call(REDIRECT) . leave() },
	devmap => sub { through(DEVMAP, 0, $number) },
	cpumap => sub { through(CPUMAP, $number, 256) },
);
my $code = ($programs{$name} or die "no program $name\n")->();

open(my $file, "<", "/sys/class/net/$dev/ifindex") or die "no netdev $dev\n";
my $ifindex = <$file> + 0;

my $log = "\0" x 65536;
my $program = eval {
	bpf(PROG_LOAD, pack("LLQQLLQLLx16LL", TYPE_XDP, length($code) / 8, pointer($code),
		pointer("GPL\0"), 1, length $log, pointer($log), 0, $frags ? HAS_FRAGS : 0, 0, ATTACH_XDP));
} or die $@, $kept[-1] =~ s/\0.*//sr;
my $link = bpf(LINK_CREATE, pack("L4", $program, $ifindex, ATTACH_XDP, DRV_MODE));

$| = 1;
print "attached\n";
sleep;
