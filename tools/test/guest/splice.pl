#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Pass one TCP connection on without copying its data: splice.pl PORT HOST PORT
# Many pages lie in the pipe when the packets that they came with are freed.
my ($SPLICE, $SETPIPE_SZ) = (275, 1031);

sub address {
	my ($host, $port) = @_;
	return pack("S n C4 x8", 2, $port, split(/\./, $host));
}

my ($from, $host, $to) = @ARGV;

socket(my $listen, 2, 1, 0) or die "socket: $!\n";
setsockopt($listen, 1, 2, pack("i", 1));
bind($listen, address("0.0.0.0", $from)) or die "bind: $!\n";
listen($listen, 1);
socket(my $out, 2, 1, 0) or die "socket: $!\n";
connect($out, address($host, $to)) or die "connect: $!\n";
accept(my $in, $listen) or die "accept: $!\n";
pipe(my $reader, my $writer) or die "pipe: $!\n";
fcntl($writer, $SETPIPE_SZ, 1 << 20);

my $all = 0;
while (1) {
	my $got = syscall($SPLICE, fileno($in), 0, fileno($writer), 0, 1 << 20, 0);
	die "splice from the socket: $!\n" if $got < 0;
	last if !$got;
	for (my $left = $got; $left > 0;) {
		my $put = syscall($SPLICE, fileno($reader), 0, fileno($out), 0, $left, 0);
		die "splice to the socket: $!\n" if $put <= 0;
		$left -= $put;
	}
	$all += $got;
}
print "spliced $all bytes\n";
